import { gzipSync } from 'node:zlib';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, rejections, reportOf, valuesOf } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const TYPES = [
  { key: 'text', type: 'text' },
  { key: 'integer', type: 'integer' },
  { key: 'number', type: 'number' },
  { key: 'decimal', type: 'decimal' },
  { key: 'boolean', type: 'boolean' },
  { key: 'date', type: 'date' },
  { key: 'datetime', type: 'datetime' },
  { key: 'select', type: 'select', options: { choices: ['a', 'b'] } },
  { key: 'multiSelect', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  { key: 'email', type: 'email' },
  { key: 'url', type: 'url' },
  { key: 'json', type: 'json' },
];
const NAME = [
  { key: 'name', type: 'text', title: 'The name' },
  { key: 'n', type: 'integer' },
];

describe('POST /datagrids/{datagridId}/rows/import with CSV', () => {
  it('returns 201 and reads cells of every type, and an empty cell as no value', async () => {
    const { api } = team.editor;
    const grid = await newDatagrid(team.owner.api, TYPES);
    const header = TYPES.map(({ key }) => key).join(',');
    const line =
      ' unchanged ,-7,1.50,0.10,TRUE,2024-02-29,2024-02-29T13:45:00+01:00,b,"[""b"",""a""]",' +
      'ada@example.com,https://example.com/a,"{""a"":[1,null]}"';
    const response = await importCsv(api, grid, `${header}\n${line}\n,,,,,,,,,,,\n`);
    const data = dataOf(response, 201);
    expect(data).toMatchObject({ state: 'completed', rowsRead: 2, created: 2, rejected: 0 });
    expect(data).toMatchObject({ committedRows: 2, nextLine: null, errors: [] });
    expect(await reportOf(api, response)).toEqual(data);
    expect(await valuesOf(api, grid)).toEqual([
      {
        text: ' unchanged ',
        integer: -7,
        number: 1.5,
        decimal: '0.10',
        boolean: true,
        date: '2024-02-29',
        datetime: '2024-02-29T12:45:00.000Z',
        select: 'b',
        multiSelect: ['b', 'a'],
        email: 'ada@example.com',
        url: 'https://example.com/a',
        json: { a: [1, null] },
      },
      {},
    ]);
  });

  it('returns 400 with the code of each cell that does not fit its type', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, TYPES);
    const bad: [string, string, string][] = [
      ['text', 'a\0b', 'invalid_text'],
      ['integer', '1.5', 'wrong_type'],
      ['integer', '007', 'invalid_format'],
      ['integer', ' 1', 'invalid_format'],
      ['integer', '9007199254740993', 'inexact_number'],
      ['number', '1e400', 'inexact_number'],
      ['number', 'Infinity', 'invalid_format'],
      ['decimal', '1,5', 'invalid_format'],
      ['boolean', 'yes', 'invalid_format'],
      ['date', '2023-02-29', 'out_of_range'],
      ['datetime', '2023-02-28', 'invalid_format'],
      ['select', 'c', 'not_a_choice'],
      ['multiSelect', '["a","a"]', 'duplicate_choice'],
      ['multiSelect', 'a', 'malformed_json'],
      ['email', 'ada', 'invalid_format'],
      ['url', 'ftp://x', 'invalid_format'],
      ['json', '{"a":1,"a":2}', 'duplicate_key'],
    ];
    for (const [key, cell, code] of bad) {
      const quoted = `"${cell.replaceAll('"', '""')}"`;
      const response = await importCsv(api, grid, `${key}\n${quoted}\n`);
      expect([cell, response.status]).toEqual([cell, 400]);
      expectFailure(response, 'invalid_request', [`lines.2.${key} ${code}`]);
    }
    expect(await valuesOf(api, grid)).toEqual([]);
  });

  it.each([
    [
      'quotes, commas and line ends in cells',
      'name,n\n"a ""b"", c\r\nd\ne",1\n',
      ['a "b", c\r\nd\ne'],
    ],
    ['CRLF', 'name,n\r\na,1\r\n"b",2\r\n', ['a', 'b']],
    ['a byte order mark', '\uFEFFname,n\na,1\n', ['a']],
    ['no line end after the last line', 'name,n\na,1\nb,2', ['a', 'b']],
    ['a quoted cell at the very end', 'name,n\na,1\nb,"2"', ['a', 'b']],
    ['empty lines', '\n\nname,n\n\na,1\n\r\nb,2\n\n', ['a', 'b']],
    ['a column title instead of its key', 'n,The name\n1,a\n2,b\n', ['a', 'b']],
    ['characters outside of ASCII', 'name,n\nä😀\u{133ff}\u00a0,1\n', ['ä😀\u{133ff}\u00a0']],
  ])('accepts %s', async (_, text, names) => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    dataOf(await importCsv(api, grid, text), 201);
    const values = await valuesOf(api, grid);
    expect(values.map(({ name }) => name)).toEqual(names);
    expect(values.map(({ n }) => n)).toEqual(names.map((__, index) => index + 1));
  });

  it('names the line where a row begins, even if it spans several lines', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    const text = 'name,n\n"a\nb",1\n\nc,x\n"d\n\n\n",y\ne,z\n';
    const data = dataOf(await importCsv(api, grid, text, '?onError=skip'), 201);
    expect(data).toMatchObject({ rowsRead: 4, created: 1, rejected: 3 });
    expect(rejections(data)).toEqual([
      '5 n invalid_format',
      '6 n invalid_format',
      '10 n invalid_format',
    ]);
  });

  it('rejects malformed lines and continues with the next one', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    const text = Buffer.concat([
      Buffer.from('name,n\na\nb,2,3\nc"d,3\n"e"f,4\ng,5\nh'),
      Buffer.from([0xff]),
      Buffer.from(',6\ni,7\n"j,8\n'),
    ]);
    const data = dataOf(await importCsv(api, grid, text, '?onError=skip'), 201);
    expect(rejections(data)).toEqual([
      '2 line invalid_format',
      '3 line invalid_format',
      '4 line invalid_format',
      '5 line invalid_format',
      '7 name invalid_utf8',
      '9 line invalid_format',
    ]);
    expect(await valuesOf(api, grid)).toEqual([
      { name: 'g', n: 5 },
      { name: 'i', n: 7 },
    ]);
  });

  it.each([
    ['an unknown column', 'name,colour\na,b\n', ['header.1 unknown_column']],
    ['a duplicate column', 'name,The name\na,b\n', ['header.1 duplicate_column']],
    ['only blank cells', ',\na,b\n', ['header required']],
    ['no cells', '', ['header required']],
    ['a bad quote', 'na"me,n\na,1\n', ['header invalid_format']],
  ])('returns 400 for a header with %s', async (_, text, details) => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    const response = await importCsv(api, grid, text);
    expectFailure(response, 'invalid_request', details);
    expect(await reportOf(api, response)).toMatchObject({ state: 'failed', nextLine: 1 });
  });

  it('returns 400 for a header without a required column', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, [...NAME, { key: 'r', type: 'text', required: true }]);
    expectFailure(await importCsv(api, grid, 'name\na\n'), 'invalid_request', ['header required']);
    const response = await importCsv(api, grid, 'name,r\na,\n');
    expectFailure(response, 'invalid_request', ['lines.2.r required']);
  });

  it('accepts gzip and returns 400 for an invalid gzip body', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    const packed = gzipSync(`name,n\n${'a,1\n'.repeat(20_000)}`);
    const gzip = { 'content-encoding': 'gzip' };
    const data = dataOf(await importCsv(api, grid, packed, '', gzip), 201);
    expect(data).toMatchObject({ rowsRead: 20_000, created: 20_000 });
    const response = await importCsv(api, grid, packed.subarray(0, 60), '', gzip);
    expectFailure(response, 'invalid_request', ['body invalid_compression']);
    const plain = await importCsv(api, grid, 'name,n\na,1\n', '', gzip);
    expectFailure(plain, 'invalid_request', ['body invalid_compression']);
    const other = await importCsv(api, grid, 'name', '', { 'content-encoding': 'br' });
    expectFailure(other, 'unsupported_media_type');
  });

  it.each([
    ['a', '1 cell'],
    ['a,b,c,d', '4 cells'],
  ])('counts the cells of the line %j', async (line, count) => {
    const { api } = team.owner;
    const columns = ['x', 'y', 'z'].map((key) => ({ key, type: 'text' }));
    const grid = await newDatagrid(api, columns);
    const response = await importCsv(api, grid, `x,y,z\n${line}\n`);
    expectFailure(response, 'invalid_request', ['lines.2 invalid_format']);
    const [detail] = response.body.error.details ?? [];
    expect(detail?.message).toBe(`has ${count}, but the header has 3`);
  });

  it('accepts records in the path as an alias of rows', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, NAME);
    const csv = { 'content-type': 'text/csv; charset=UTF-8; header=present' };
    dataOf(await api.post(`${grid}/records/import`, 'name\na\n', csv), 201);
    expect(await valuesOf(api, grid)).toEqual([{ name: 'a' }]);
  });

  it.each(['text/csv; header=absent', 'text/csv;charset=utf-8; Header="absent"'])(
    'says that a file needs a header, for the content type %s',
    async (type) => {
      const { api } = team.owner;
      const grid = await newDatagrid(api, NAME);
      const response = await api.post(`${grid}/rows/import`, 'a\n', { 'content-type': type });
      expectFailure(response, 'unsupported_media_type');
      expect(response.body.error.message).toBe(
        'A CSV file must begin with a header. Add one, and leave out header=absent.',
      );
    },
  );

  it.each([undefined, 'application/json', 'text/plain', 'text/csv; charset=latin1'])(
    'returns 415 for the content type %s',
    async (type) => {
      const { api } = team.owner;
      const grid = await newDatagrid(api, NAME);
      const headers = type === undefined ? {} : { 'content-type': type };
      const response = await api.post(`${grid}/rows/import`, 'name\na\n', headers);
      expectFailure(response, 'unsupported_media_type');
      expect(response.body.error.message).toBe(
        'Content-Type must be text/csv or application/x-ndjson or application/octet-stream. A charset parameter must be utf-8; for a CSV file in another encoding, leave it out and send the query parameter encoding, such as encoding=windows-1252.',
      );
    },
  );
});
