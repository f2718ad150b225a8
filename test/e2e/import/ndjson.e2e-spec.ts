import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importNdjson, rejections, SlowImport, valuesOf } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_ROW_BYTES: '2000' });
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 's', type: 'text' },
  { key: 'n', type: 'number' },
  { key: 'j', type: 'json' },
];

describe('POST /datagrids/{datagridId}/rows/import with NDJSON', () => {
  it('returns 201 and reads each line as an object of values, and null as no value', async () => {
    const { api } = team.editor;
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const text =
      '\uFEFF{"s":"a\\n\\u00e9\\\\","n":1.0}\r\n\n  \n{"j":{"constructor":[]},"s":null}\n{}\n{"n":-0}';
    const data = dataOf(await importNdjson(api, grid, text), 201);
    expect(data).toMatchObject({ format: 'ndjson', rowsRead: 4, created: 4 });
    expect(await valuesOf(api, grid)).toEqual([
      { s: 'a\né\\', n: 1 },
      { j: { constructor: [] } },
      {},
      { n: 0 },
    ]);
  });

  it('rejects invalid lines and reports their numbers', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const long = JSON.stringify({ s: 'x'.repeat(1_995) });
    const endless = `{"s":"${'y'.repeat(300_000)}"}`;
    const lines = [
      '[]',
      '{"s":1}',
      '{"s":"a"} {}',
      '{"s":"a","s":"b"}',
      '{"n":9007199254740993}',
      '{"s":"\\ud800"}',
      '{"other":1,"n":"1"}',
      long,
      endless,
      '{"__proto__":1}',
      '{"s":"last"}',
    ];
    const text = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n{"s":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n'),
    ]);
    const data = dataOf(await importNdjson(api, grid, text, '?onError=skip'), 201);
    expect(rejections(data)).toEqual([
      '1 line wrong_type',
      '2 s wrong_type',
      '3 line malformed_json',
      '4 line duplicate_key',
      '5 line inexact_number',
      '6 line invalid_text',
      '7 other unknown_column',
      '7 n wrong_type',
      '8 line too_large',
      '9 line too_large',
      '10 __proto__ unknown_column',
      '12 line invalid_utf8',
    ]);
    expect(await valuesOf(api, grid)).toEqual([{ s: 'last' }]);
  });

  it('accepts characters and lines that are split at any byte', async () => {
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const text = Buffer.from('{"s":"😀ä"}\r\n\n{"n":1}');
    const sent = SlowImport.start(app, team.owner, grid);
    for (let at = 0; at < text.length; at += 1) sent.write(text.subarray(at, at + 1));
    sent.end();
    expect(await sent.response).toMatchObject({ status: 201, body: { data: { created: 2 } } });
    expect(await valuesOf(team.owner.api, grid)).toEqual([{ s: '😀ä' }, { n: 1 }]);
  });
});
