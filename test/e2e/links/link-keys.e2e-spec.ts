import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import {
  completed,
  importCsv,
  importNdjson,
  rejections,
  SlowImport,
  valuesOf,
} from '../import/sending';

let app: TestApp;
let owner: Member;
let workspace: string;
let airports: string;
let flights: string;

const KEYS = 'linkKeys=from.iata,via.iata';

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

beforeEach(async () => {
  workspace = await newWorkspace(owner.api);
  const columns = [
    { key: 'iata', type: 'text', unique: true, required: true },
    { key: 'rank', type: 'decimal', unique: true },
    { key: 'city', type: 'text' },
  ];
  airports = await newDatagrid(owner.api, columns, workspace);
  const rows = [
    { iata: 'BSL', rank: '1.50', city: 'Basel' },
    { iata: 'ZRH', rank: '2', city: 'Zürich' },
    { iata: '=1+1', city: 'Formula' },
    { iata: 'a"b,c\n\\', city: 'Quotes' },
  ];
  await owner.api.post(`${airports}/rows`, { rows: rows.map((values) => ({ values })) });
  const options = { datagridId: airports.replace('/datagrids/', '') };
  flights = await newDatagrid(
    owner.api,
    [
      { key: 'number', type: 'text', unique: true },
      { key: 'from', type: 'link', options },
      { key: 'via', type: 'multiLink', options },
    ],
    workspace,
  );
});

afterAll(() => app.close());

describe('an import with keys of linked rows', () => {
  it('links the rows that have the keys, from CSV', async () => {
    const csv = 'number,from,via\n1,BSL,"[""ZRH"",""BSL""]"\n2,,[]\n3,"a""b,c\n\\",\n';
    await completed(owner.api, await importCsv(owner.api, flights, csv, `?${KEYS}`));
    expect(await valuesOf(owner.api, flights)).toEqual([
      { number: '1', from: 1, via: [2, 1] },
      { number: '2', via: [] },
      { number: '3', from: 4 },
    ]);
    // The links are entered: they restrict deletions.
    expect((await owner.api.delete(`${airports}/rows/4`)).status).toBe(409);
  });

  it('links them from NDJSON, also in an upsert', async () => {
    const lines = '{"number":"1","from":"BSL"}\n{"number":"2","via":["BSL"]}\n';
    await importNdjson(owner.api, flights, lines, `?${KEYS}`);
    const changed = '{"number":"1","from":"ZRH","via":["=1+1"]}\n{"number":"2","via":null}\n';
    const upsert = await importNdjson(
      owner.api,
      flights,
      changed,
      `?mode=upsert&matchOn=number&${KEYS}`,
    );
    expect(await completed(owner.api, upsert)).toMatchObject({ updated: 2 });
    expect(await valuesOf(owner.api, flights)).toEqual([
      { number: '1', from: 2, via: [3] },
      { number: '2' },
    ]);
  });

  it('matches decimals by their value', async () => {
    const csv = 'number,from\n1,1.5\n2,2.000\n';
    await completed(owner.api, await importCsv(owner.api, flights, csv, '?linkKeys=from.rank'));
    expect(await valuesOf(owner.api, flights)).toMatchObject([{ from: 1 }, { from: 2 }]);
  });

  it('reads ids in link columns that it does not name', async () => {
    const csv = 'number,from,via\n1,BSL,[2]\n';
    await completed(owner.api, await importCsv(owner.api, flights, csv, '?linkKeys=from.iata'));
    expect(await valuesOf(owner.api, flights)).toEqual([{ number: '1', from: 1, via: [2] }]);
  });

  it.each(['insert', 'upsert'])(
    'reports the lines with unknown keys and writes the others (%s)',
    async (mode) => {
      const csv =
        'number,from,via\n1,XXX,\n2,ZRH,\n3,,"[""BSL"",""YYY""]"\n4,,"[""BSL"",""BSL""]"\n';
      const matchOn = mode === 'upsert' ? '&matchOn=number' : '';
      const query = `?mode=${mode}${matchOn}&onError=skip&${KEYS}`;
      const report = await completed(owner.api, await importCsv(owner.api, flights, csv, query));
      expect(rejections(report)).toEqual([
        '2 from unknown_row',
        '4 via unknown_row',
        '5 via duplicate_link',
      ]);
      expect(report).toMatchObject({ created: 1, rejected: 3, rowsRead: 4 });
      expect(await valuesOf(owner.api, flights)).toEqual([{ number: '2', from: 2 }]);
    },
  );

  it('writes nothing of a step with an unknown key if it must not skip lines', async () => {
    const csv = 'number,from\n1,BSL\n2,XXX\n';
    const failed = await importCsv(owner.api, flights, csv, `?${KEYS}`);
    expectFailure(failed, 'invalid_request', ['lines.3.from unknown_row']);
    expect(await valuesOf(owner.api, flights)).toEqual([]);
  });

  it.each([
    ['the type', { type: 'text' }],
    ['ignoreCase', { options: { ignoreCase: true } }],
  ])('fails with 409 if %s of the key column changes while it runs', async (name, change) => {
    const key = name === 'the type' ? 'rank' : 'iata';
    const sent = SlowImport.start(app, owner, flights, `?linkKeys=from.${key}`);
    sent.write('{"number":"1"}\n');
    await eventually(async () => {
      const [running] = (await owner.api.get(`${flights}/imports`)).body.data;
      return running?.state === 'running';
    });
    dataOf(await owner.api.patch(`${airports}/columns/${key}`, { ...change, convert: true }), 200);
    sent.end(`{"number":"2","from":${JSON.stringify(key === 'rank' ? '2' : 'ZRH')}}\n`);
    expect((await sent.response).body.error.code).toBe('conflict');
    expect(await valuesOf(owner.api, flights)).toEqual([]);
  });

  it('rejects keys of the wrong type', async () => {
    const lines =
      '{"number":"1","from":7}\n{"number":"2","via":"BSL"}\n{"number":"3","via":[null]}\n';
    const failed = await importNdjson(owner.api, flights, lines, `?onError=skip&${KEYS}`);
    expect(rejections(await completed(owner.api, failed))).toEqual([
      '1 from wrong_type',
      '2 via wrong_type',
      '3 via wrong_type',
    ]);
  });
});

describe('an export with keys of linked rows', () => {
  beforeEach(async () => {
    const rows = [
      { number: '1', from: 1, via: [2, 1] },
      { number: '2', from: 3, via: [] },
      { number: '3', via: [4] },
      { number: '4' },
    ];
    await owner.api.post(`${flights}/rows`, { rows: rows.map((values) => ({ values })) });
  });

  it.each(['csv', 'ndjson'])('returns as %s what an import reads back', async (format) => {
    const { text } = await owner.api.get(`${flights}/rows/export?format=${format}&${KEYS}`);
    const before = await valuesOf(owner.api, flights);
    dataOf(await owner.api.post(`${flights}/rows/delete`, { filter: { _id: { $gt: 0 } } }), 200);
    const send = format === 'csv' ? importCsv : importNdjson;
    await completed(owner.api, await send(owner.api, flights, text, `?${KEYS}`));
    expect(await valuesOf(owner.api, flights)).toEqual(before);
  });

  it('has keys in place of ids', async () => {
    const csv = await owner.api.get(`${flights}/rows/export?format=csv&${KEYS}`);
    expect(csv.text).toBe(
      'number,from,via\n1,BSL,"[""ZRH"", ""BSL""]"\n2,=1+1,[]\n3,,"[""a\\""b,c\\n\\\\""]"\n4,,\n',
    );
    const query = `format=csv&escapeFormulas=true&fields=from&linkKeys=from.iata`;
    const escaped = await owner.api.get(`${flights}/rows/export?${query}`);
    expect(escaped.text).toContain("'=1+1");
    const rows = await owner.api.get(`${flights}/rows/export?shape=row&fields=from&${KEYS}`);
    const [first] = rows.text.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ id: 1, values: { from: 'BSL' } });
  });

  it('has keys under the key and the previous key of a link column', async () => {
    dataOf(await owner.api.patch(`${flights}/columns/from`, { key: 'origin' }), 200);
    const query = 'format=ndjson&fields=from,origin&linkKeys=from.iata&filter={"number":"1"}';
    const { text } = await owner.api.get(`${flights}/rows/export?${query}`);
    expect(JSON.parse(text)).toEqual({ from: 'BSL', origin: 'BSL' });
  });

  it('has an ETag that never matches, because linked rows can change', async () => {
    const path = `${flights}/rows/export?${KEYS}`;
    const { headers } = await owner.api.get(path);
    dataOf(await owner.api.patch(`${airports}/rows/1`, { values: { iata: 'EAP' } }), 200);
    const again = await owner.api.get(path, { 'If-None-Match': headers.get('etag') ?? '' });
    expect({ status: again.status, text: again.text }).toMatchObject({
      status: 200,
      text: expect.stringContaining('EAP'),
    });
  });
});

describe('linkKeys', () => {
  it.each([
    ['from', 'invalid_format'],
    ['from.', 'invalid_format'],
    ['from.iata.x', 'invalid_format'],
    ['none.iata', 'unknown_column'],
    ['number.iata', 'wrong_type'],
    ['from.none', 'unknown_column'],
    ['from.city', 'not_unique'],
    ['from.iata,from.rank', 'duplicate_column'],
    ['a.b,a.b,a.b,a.b,a.b,a.b', 'too_many'],
  ])('%s returns 400 with %s', async (linkKeys, code) => {
    const query = `?linkKeys=${linkKeys}`;
    const failed = await importCsv(owner.api, flights, 'number\n1\n', query);
    expectFailure(failed, 'invalid_request', [`linkKeys ${code}`]);
    const exported = await owner.api.get(`${flights}/rows/export${query}`);
    expectFailure(exported, 'invalid_request', [`linkKeys ${code}`]);
  });

  it('must lead an export to a column in which every row has a value', async () => {
    const failed = await owner.api.get(`${flights}/rows/export?linkKeys=from.rank`);
    expectFailure(failed, 'invalid_request', ['linkKeys incompatible_parameters']);
  });

  it('needs access to the linked datagrid', async () => {
    const console = await app.console(owner);
    const body = { name: 'Limited', datagridIds: [flights.replace('/datagrids/', '')] };
    const limited = app.api(dataOf(await console.post('/keys', body), 201).key as string);
    const imported = await importCsv(limited, flights, 'number,from\n1,BSL\n', `?${KEYS}`);
    expectFailure(imported, 'forbidden');
    expectFailure(await limited.get(`${flights}/rows/export?${KEYS}`), 'forbidden');
    expect(await valuesOf(owner.api, flights)).toEqual([]);
  });
});
