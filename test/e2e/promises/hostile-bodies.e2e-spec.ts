import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let workspace: string;
let rows: string;

const columns = [
  { key: 't', type: 'text' },
  { key: 'j', type: 'json' },
  { key: 'n', type: 'number' },
  { key: 'constructor', type: 'json' },
];

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  workspace = await newWorkspace(team.owner.api);
  rows = `${await newDatagrid(team.owner.api, columns, workspace)}/rows`;
  dataOf(await team.owner.api.post(rows, { values: {} }), 201);
});

afterAll(() => app.close());

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** Every route that takes a body: what leads to a text in it, as text before and after. */
const PLACES = (): [string, string, string, string][] => [
  ['POST', '/workspaces', '{"name":"', '"}'],
  ['PATCH', `/workspaces/${workspace}`, '{"description":"', '"}'],
  ['POST', `/workspaces/${workspace}/datagrids`, '{"name":"', '"}'],
  ['PATCH', rows.replace('/rows', ''), '{"name":"', '"}'],
  ['POST', rows, '{"values":{"t":"', '"}}'],
  ['POST', rows, '{"rows":[{"values":{"j":{"', '":1}}}]}'],
  ['PATCH', `${rows}/1`, '{"values":{"j":["', '"]}}'],
  ['PUT', `${rows}/1`, '{"values":{"', '":1}}'],
];

describe('promise 50: what JSON may hold and a database may not is 400', () => {
  it.each<[string, string | number[], string]>([
    ['NUL', 'a\\u0000b', 'invalid_text'],
    ['a bare NUL', 'a\u0000b', 'malformed_json'],
    ['a lone high surrogate', 'a\\ud800', 'invalid_text'],
    ['a lone low surrogate', '\\uDC00b', 'invalid_text'],
    ['surrogates in the wrong order', '\\udc00\\ud800', 'invalid_text'],
    ['a surrogate and another escape', '\\ud83d\\n', 'invalid_text'],
    ['a byte that begins nothing', [0xff], 'invalid_utf8'],
    ['a character cut short', [0xe2, 0x82], 'invalid_utf8'],
    ['an overlong NUL', [0xc0, 0x80], 'invalid_utf8'],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80], 'invalid_utf8'],
    ['a bare newline', 'a\nb', 'malformed_json'],
  ])('%s', async (_, hostile, code) => {
    for (const [method, path, before, after] of PLACES()) {
      const answer = await team.owner.api.send(method, path, bytes(before, hostile, after));
      expect([method, path, answer.status]).toEqual([method, path, 400]);
      expect(answer.body.error.details).toEqual([
        { field: expect.any(String), code, message: expect.any(String) },
      ]);
    }
  });

  it.each<[string, string]>([
    ['arrays', '['],
    ['objects', '{"a":'],
    ['both', '[{"a":'],
  ])('nesting of 5,000 %s', async (_, open) => {
    const deep = open.repeat(5_000);
    for (const [method, path] of PLACES()) {
      const bare = await team.owner.api.send(method, path, deep);
      expectFailure(bare, 'invalid_request', ['body too_deep']);
    }
    const closed = open.replaceAll(/[^[{]/g, '').replace('[', ']').replace('{', '}');
    const close = closed.split('').reverse().join('').repeat(5_000);
    const whole = await team.owner.api.post(rows, `{"values":{"j":${deep}1${close}}}`);
    expectFailure(whole, 'invalid_request', ['body too_deep']);
  });

  it('nesting of 10 MB', async () => {
    const answer = await team.owner.api.post(rows, '['.repeat(10 * 1024 * 1024));
    expectFailure(answer, 'invalid_request', ['body too_deep']);
  });

  it('while 64 levels, paired surrogates and a byte order mark are taken', async () => {
    const j = `${'['.repeat(62)}${']'.repeat(62)}`;
    const created = await team.owner.api.post(
      rows,
      `\ufeff{"values":{"j":${j},"t":"\\ud83d\\ude00"}}`,
    );
    expect(dataOf(created, 201).values).toEqual({ j: JSON.parse(j) as unknown, t: '😀' });
  });
});

describe('promise 51: a number comes back as it was sent or is 400', () => {
  const kept = [
    '0',
    '-1',
    '0.1',
    '1e21',
    '1.5e-7',
    '123456789012345680000',
    '5e-324',
    '9007199254740993e0',
  ];
  const lost = [
    '1e400',
    '-1e400',
    '9007199254740993',
    '0.30000000000000004440892098500626',
    '1e-400',
  ];

  it.each(kept.slice(0, -1))('%s', async (number) => {
    const body = `{"values":{"n":${number},"j":{"deep":[${number}]}}}`;
    const created = dataOf(await team.owner.api.post(rows, body), 201);
    const { values } = (await team.owner.api.get(`${rows}/${created.id}`)).body.data;
    expect(created.values).toEqual({ n: Number(number), j: { deep: [Number(number)] } });
    expect(values).toEqual(created.values);
  });

  it.each([...lost, kept.at(-1) ?? ''])('%s is refused, in every place', async (number) => {
    const inNumber = await team.owner.api.post(rows, `{"values":{"n":${number}}}`);
    expectFailure(inNumber, 'invalid_request', ['values.n inexact_number']);
    const inJson = await team.owner.api.patch(`${rows}/1`, `{"values":{"j":{"a":[0,${number}]}}}`);
    expectFailure(inJson, 'invalid_request', ['values.j.a.1 inexact_number']);
  });

  it.each(['01', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity', '1_000', '1e', '--1'])(
    '%s is no number',
    async (text) => {
      const answer = await team.owner.api.post(rows, `{"values":{"n":${text}}}`);
      expectFailure(answer, 'invalid_request', ['body malformed_json']);
    },
  );
});

describe('promise 53: __proto__ and constructor are members like any other, or refused', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__'];

  it.each(names)('%s where members are known', async (name) => {
    const body = `{"name":"X","${name}":{"isAdmin":true}}`;
    for (const path of ['/workspaces', `/workspaces/${workspace}/datagrids`]) {
      const answer = await team.owner.api.post(path, body);
      expectFailure(answer, 'invalid_request', [`${name} unknown_member`]);
    }
    const column = `{"key":"a","type":"text","${name}":{"required":true}}`;
    const inColumn = `{"name":"X","columns":[${column}]}`;
    const answer = await team.owner.api.post(`/workspaces/${workspace}/datagrids`, inColumn);
    expectFailure(answer, 'invalid_request', [`columns.0.${name} unknown_member`]);
  });

  it.each(names)('%s in a row', async (name) => {
    const around = await team.owner.api.post(rows, `{"values":{},"${name}":{}}`);
    expectFailure(around, 'invalid_request', [`${name} unknown_member`]);
    if (name === 'constructor') return;
    const answer = await team.owner.api.post(rows, `{"values":{"${name}":{"t":"x"}}}`);
    expectFailure(answer, 'invalid_request', [`values.${name} unknown_column`]);
  });

  it.each(names)('%s in a json value comes back as sent', async (name) => {
    const sent = `{"${name}":{"isAdmin":true}}`;
    const body = `{"values":{"j":${sent},"constructor":[${sent}]}}`;
    const created = await team.owner.api.post(rows, body);
    const { id } = dataOf(created, 201);
    expect(created.text).toContain(`"j":${sent}`);
    const read = await team.owner.api.get(`${rows}/${id}`);
    expect(read.text.replaceAll(' ', '')).toContain(`"j":${sent}`);
    expect(read.text.replaceAll(' ', '')).toContain(`"constructor":[${sent}]`);
  });

  it.each(names)('%s in a query', async (name) => {
    const answer = await team.owner.api.get(`/workspaces?${name}=1&page=1`);
    expectFailure(answer, 'invalid_request', [`${name} unknown_parameter`]);
  });

  it('and nothing of it has reached the service itself', () => {
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
