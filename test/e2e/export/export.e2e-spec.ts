import { parse } from 'csv-parse/sync';
import { FileBody } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { GOOD_VALUES } from '../rows/value-cases';
import { download } from './download';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

async function withRows(columns: readonly object[], rows: readonly object[]): Promise<string> {
  const grid = await newDatagrid(owner.api, columns);
  const body = { rows: rows.map((values) => ({ values })) };
  if (rows.length > 0) dataOf(await owner.api.post(`${grid}/rows`, body), 201);
  return `${grid}/rows`;
}

const exported = async (rows: string, query: Record<string, string>): Promise<string> => {
  const got = await download(app, owner, `${rows}/export?${new URLSearchParams(query).toString()}`);
  expect([got.status, got.isWhole, got.trailers['export-status']]).toEqual([200, true, 'complete']);
  return got.text;
};

const choices = { options: { choices: ['red', 'green'] } };
const columns = GOOD_VALUES.map(([type], index) => ({
  key: `c${String(index)}`,
  type,
  ...(type.endsWith('elect') && choices),
}));
const stored = GOOD_VALUES.map(([, , text], index): [string, unknown] => [
  `c${String(index)}`,
  JSON.parse(text),
]);

describe('an export of values of every type', () => {
  it('returns the stored values as NDJSON', async () => {
    const sent = GOOD_VALUES.map(([, text], index) => `"c${String(index)}":${text}`).join(',');
    const rows = await withRows(columns, []);
    dataOf(await owner.api.post(rows, `{"values":{${sent}}}`), 201);
    expect(lines(await exported(rows, {}))).toEqual([Object.fromEntries(stored)]);
  });

  it('returns the text of each JSON value as CSV', async () => {
    const rows = await withRows(columns, [Object.fromEntries(stored)]);
    const [header, cells] = parse(await exported(rows, { format: 'csv' }));
    expect(header).toEqual(columns.map(({ key }) => key));
    const asJson = new Set(['multiSelect', 'json']);
    const read = cells?.map((cell, index) => {
      const [type = ''] = GOOD_VALUES[index] ?? [];
      const isText = !asJson.has(type) && typeof stored[index]?.[1] === 'string';
      return isText ? cell : (JSON.parse(cell) as unknown);
    });
    expect(read).toEqual(stored.map(([, value]) => value));
  });
});

describe('an import of an exported file', () => {
  it.each(['csv', 'ndjson'])('restores values of every type from %s', async (format) => {
    const keyed = GOOD_VALUES.map((value, index) => ({ value, key: `c${String(index)}` }));
    // An import reads an empty cell as no value.
    const chosen = keyed.filter(({ value: [, , text] }) => format === 'ndjson' || text !== '""');
    const ofColumns = columns.filter(({ key }) => chosen.some((one) => one.key === key));
    const values = stored.filter(([key]) => chosen.some((one) => one.key === key));
    const rows = await withRows(ofColumns, [Object.fromEntries(values), {}]);
    const file = await exported(rows, { format });
    const copy = await withRows(ofColumns, []);
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const imported = await owner.api.post(`${copy}/import`, new FileBody(type, file));
    expect([imported.status, imported.body.data?.created]).toEqual([201, 2]);
    expect(await exported(copy, {})).toBe(await exported(rows, {}));
  });
});

describe('a CSV export', () => {
  const HOSTILE = ['a,b', 'say "x"', 'one\ntwo', 'cr\r\n', '\\.', '\\n', ' ', "'; --", '😀'];

  it('preserves texts with special characters', async () => {
    const rows = await withRows(
      [
        { key: 't', type: 'text' },
        { key: 'u', type: 'text' },
      ],
      HOSTILE.map((t) => ({ t, u: t })),
    );
    const [, ...cells] = parse(await exported(rows, { format: 'csv' }));
    expect(cells).toEqual(HOSTILE.map((t) => [t, t]));
    const [, ...one] = parse(await exported(rows, { format: 'csv', fields: 'u' }));
    expect(one).toEqual(HOSTILE.map((t) => [t]));
  });

  it('has a line for a row without values, even with one column', async () => {
    const rows = await withRows(
      [
        { key: 't', type: 'text' },
        { key: 'n', type: 'integer' },
      ],
      [{}, { t: '', n: 0 }],
    );
    expect(await exported(rows, { format: 'csv' })).toBe('t,n\n,\n"",0\n');
    expect(await exported(rows, { format: 'csv', fields: 'n' })).toBe('n\n""\n0\n');
  });

  it('has a header if there are no rows', async () => {
    const rows = await withRows([{ key: 't', type: 'text' }], []);
    expect(await exported(rows, { format: 'csv' })).toBe('t\n');
    expect(await exported(rows, {})).toBe('');
  });
});

describe('a CSV export for spreadsheets', () => {
  const WIDE = ['＝1+1', '＋1', '－1', '＠SUM(1)'];
  const FORMULAS = [
    ...['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1', "=cmd|' /C calc'!A0"],
    // Excel in Japanese reads these as the characters above.
    ...WIDE,
  ];
  const HARMLESS = ["'=1", ' =1', 'a=1', '1-1', '', 'a@example.com', 'a＝1', 'ー', '＃1', '１'];

  it('returns formula-like text unchanged, or with an apostrophe if escapeFormulas is true', async () => {
    const rows = await withRows(
      [
        { key: 't', type: 'text' },
        { key: 's', type: 'select', options: { choices: ['=1'] } },
        { key: 'e', type: 'email' },
      ],
      [...FORMULAS, ...HARMLESS].map((t) => ({ t, s: '=1', e: '+a@example.com' })),
    );
    const cells = async (query: Record<string, string>): Promise<unknown[]> =>
      parse(await exported(rows, { format: 'csv', ...query })).slice(1);
    const exact = [...FORMULAS, ...HARMLESS].map((t) => [t, '=1', '+a@example.com']);
    expect(await cells({})).toEqual(exact);
    expect(await cells({ escapeFormulas: 'false' })).toEqual(exact);
    const escaped = [...FORMULAS.map((t) => `'${t}`), ...HARMLESS];
    expect(await cells({ escapeFormulas: 'true' })).toEqual(
      escaped.map((t) => [t, "'=1", "'+a@example.com"]),
    );
    expect(await cells({ escapeFormulas: 'true', fields: 't' })).toEqual(escaped.map((t) => [t]));
  });

  it('does not change numbers, dates and JSON if escapeFormulas is true', async () => {
    const rows = await withRows(
      [
        { key: 'i', type: 'integer' },
        { key: 'n', type: 'number' },
        { key: 'd', type: 'decimal' },
        { key: 'day', type: 'date' },
        { key: 'j', type: 'json' },
        { key: 'k', type: 'json' },
      ],
      [{ i: -5, n: -0.5, d: '-1.50', day: '2024-02-29', j: -7, k: '=1' }, {}],
    );
    const query = { format: 'csv', escapeFormulas: 'true' };
    expect(await exported(rows, query)).toBe(
      'i,n,d,day,j,k\n-5,-0.5,-1.50,2024-02-29,-7,"""=1"""\n,,,,,\n',
    );
  });

  it.each([
    ['semicolon', ';'],
    ['tab', '\t'],
    ['pipe', '|'],
    [';', ';'],
  ])('has the requested delimiter %j and can be imported', async (name, by) => {
    const columns = ['t', 'u'].map((key) => ({ key, type: 'text' }));
    const texts = ['a;b', 'a,b', 'a\tb', 'a|b', 'a"b', 'a\nb'];
    const rows = await withRows(
      columns,
      texts.map((t) => ({ t, u: 'ä' })),
    );
    const file = await exported(rows, { format: 'csv', delimiter: name, bom: 'true' });
    expect(file.slice(0, 5)).toBe(`\uFEFFt${by}u\n`);
    expect(parse(file.slice(1), { delimiter: by }).slice(1)).toEqual(texts.map((t) => [t, 'ä']));
    const copy = await withRows(columns, []);
    dataOf(await owner.api.post(`${copy}/import`, new FileBody('text/csv', file)), 201);
    expect(await exported(copy, {})).toBe(await exported(rows, {}));
  });

  it('has a different ETag for each option', async () => {
    const rows = await withRows([{ key: 't', type: 'text' }], []);
    const queries = ['', '&escapeFormulas=true', '&delimiter=tab', '&bom=true'];
    const tags: unknown[] = [];
    for (const query of queries) {
      const got = await download(app, owner, `${rows}/export?format=csv${query}`);
      expect(got.status).toBe(200);
      tags.push(got.headers.etag);
    }
    expect(new Set(tags).size).toBe(queries.length);
  });

  it('returns 400 for invalid and incompatible options', async () => {
    const rows = await withRows([{ key: 't', type: 'text' }], []);
    for (const [query, detail] of [
      ['format=csv&delimiter=x', 'delimiter not_a_choice'],
      ['format=csv&escapeFormulas=1', 'escapeFormulas not_a_choice'],
      ['format=csv&bom=true&bom=true', 'bom duplicate_parameter'],
      ['escapeFormulas=true', 'escapeFormulas incompatible_parameters'],
      ['format=ndjson&delimiter=tab', 'delimiter incompatible_parameters'],
      ['bom=true', 'bom incompatible_parameters'],
    ] as const) {
      expectFailure(await owner.api.get(`${rows}/export?${query}`), 'invalid_request', [detail]);
    }
  });
});

describe('an export with endLine=true', () => {
  const END = '{"_end":{"rows":2}}\n';

  it.each([{ format: 'csv' }, { format: 'csv', bom: 'true' }, {}, { shape: 'row' }])(
    'has one more line than the same export without it: %j',
    async (query) => {
      // A cell that looks like the line, after a line break.
      const rows = await withRows([{ key: 't', type: 'text' }], [{ t: `\n${END}` }, {}]);
      const file = await exported(rows, query);
      expect(await exported(rows, { ...query, endLine: 'true' })).toBe(`${file}${END}`);
      expect(file).not.toContain(END);
      expect(await exported(rows, { ...query, endLine: 'false' })).toBe(file);
    },
  );

  it('has another ETag, and 0 rows if nothing matches', async () => {
    const rows = await withRows([{ key: 't', type: 'text' }], [{ t: 'a' }]);
    const plain = await download(app, owner, `${rows}/export`);
    const ended = await download(app, owner, `${rows}/export?endLine=true`);
    expect(ended.headers.etag).not.toBe(plain.headers.etag);
    const filter = JSON.stringify({ t: 'b' });
    expect(await exported(rows, { filter, endLine: 'true' })).toBe('{"_end":{"rows":0}}\n');
  });

  it('returns 400 if it is neither true nor false', async () => {
    const rows = await withRows([], []);
    expectFailure(await owner.api.get(`${rows}/export?endLine=1`), 'invalid_request', [
      'endLine not_a_choice',
    ]);
  });
});

describe('the rows of an export', () => {
  it('equal the rows of the list with shape=row', async () => {
    const rows = await withRows([{ key: 't', type: 'text' }], [{ t: 'a\\b' }, {}]);
    const { body } = await owner.api.get(rows);
    expect(lines(await exported(rows, { shape: 'row' }))).toEqual(body.data);
    const fields = { shape: 'row', fields: 't', sort: 't' };
    expect(lines(await exported(rows, fields))).toEqual(body.data);
  });

  it('have no values of removed columns', async () => {
    const columns = [
      { key: 'gone', type: 'text' },
      { key: 'present', type: 'text' },
    ];
    const rows = await withRows(columns, [{ gone: 'x', present: 'y' }]);
    const datagrid = rows.replace('/rows', '');
    await owner.api.delete(`${datagrid}/columns/gone`);
    expect(await exported(rows, { format: 'csv' })).toBe('present\ny\n');
    expect(lines(await exported(rows, {}))).toEqual([{ present: 'y' }]);
    await owner.api.post(`${datagrid}/columns`, { key: 'gone', type: 'text' });
    expect(lines(await exported(rows, {}))).toEqual([{ present: 'y' }]);
    expect(await exported(rows, { format: 'csv' })).toBe('present,gone\ny,\n');
  });

  it('equal the rows of the list in the same order, with and without an index', async () => {
    const columns = ['plain', 'indexed'].map((key) => ({
      key,
      type: 'text',
      indexed: key === 'indexed',
    }));
    const texts = ["'", "\\'", '\\', '$1', "E'x'", "''; SELECT pg_sleep(9)--", '%', '"', 'ä', '😀'];
    const rows = await withRows(
      [...columns, { key: 'n', type: 'decimal' }],
      texts.map((text, n) => ({ plain: text, indexed: text, n: `${String(n)}.50` })),
    );
    const filters = ['plain', 'indexed'].flatMap((key) => [
      ...texts.flatMap((text, n) => [
        { [key]: text },
        { [key]: { [['$startsWith', '$contains', '$gte'][n % 3] ?? '']: text } },
      ]),
      { [key]: { $in: texts } },
      { [key]: { $nin: texts.slice(3) } },
      { $or: [{ n: { $lt: '3.5' } }, { [key]: { $isNull: true } }] },
      { n: { $in: ['1.5', '2.50'] }, [key]: { $ne: '$1' } },
    ]);
    for (const filter of filters) {
      const query = { filter: JSON.stringify(filter), sort: '-n,plain', shape: 'row' };
      const listed = await owner.api.post(`${rows}/query`, { filter, sort: '-n,plain' });
      expect([filter, lines(await exported(rows, query))]).toEqual([filter, listed.body.data]);
    }
    for (const q of texts) {
      const listed = await owner.api.post(`${rows}/query`, { q });
      expect([q, lines(await exported(rows, { q, shape: 'row' }))]).toEqual([q, listed.body.data]);
    }
  });
});
