import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, rejections, reportOf, SlowImport, valuesOf } from './sending';

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

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
];
const ROWS = [
  { name: 'Zürich €', n: 1 },
  { name: 'a,b;c', n: 2 },
];

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const windows1252 = (text: string): Buffer => Buffer.from(text.replaceAll('€', '\x80'), 'latin1');

describe('an import of a file of type application/octet-stream', () => {
  const binary = { 'content-type': 'application/octet-stream' };

  it.each([
    ['csv', 'name,n\nZürich €,1\n"a,b;c",2\n'],
    ['ndjson', ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')],
  ])('reads the format %s that the request names', async (format, file) => {
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const path = `${grid}/rows/import?format=${format}`;
    const report = dataOf(await team.owner.api.post(path, file, binary), 201);
    expect([report.format, await valuesOf(team.owner.api, grid)]).toEqual([format, ROWS]);
  });

  it('returns 400 without a format, for an unknown format, and for one that differs from the type', async () => {
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const csv = { 'content-type': 'text/csv' };
    for (const [query, headers, code, message] of [
      ['', binary, 'required', 'is required with Content-Type: application/octet-stream'],
      ['?format=xlsx', binary, 'invalid_format', 'must be csv or ndjson'],
      ['?format=ndjson', csv, 'incompatible_parameters', 'does not match the Content-Type'],
    ] as const) {
      const response = await team.owner.api.post(`${grid}/rows/import${query}`, 'name\n', headers);
      expectFailure(response, 'invalid_request', [`format ${code}`]);
      expect(response.body.error.details[0].message).toBe(message);
    }
    expect(await valuesOf(team.owner.api, grid)).toEqual([]);
  });
});

/** Files with the same two rows, as different programs write them. */
const FILES: [string, string | Buffer, string, string, string][] = [
  ['semicolons', 'name;n\r\nZürich €;1\r\n"a,b;c";2\r\n', '', 'semicolon', 'utf-8'],
  ['tabs', 'name\tn\nZürich €\t1\na,b;c\t2\n', '', 'tab', 'utf-8'],
  ['pipes', 'name|n\nZürich €|1\na,b;c|2\n', '', 'pipe', 'utf-8'],
  ['lines that end with CR', 'name,n\rZürich €,1\r"a,b;c",2\r', '', 'comma', 'utf-8'],
  ['a sep= line', '\uFEFFsep=;\r\nname;n\r\nZürich €;1\r\n"a,b;c";2', '', 'semicolon', 'utf-8'],
  [
    'UTF-16 from Excel',
    Buffer.from('\uFEFFname\tn\r\nZürich €\t1\r\na,b;c\t2\r\n', 'utf16le'),
    '',
    'tab',
    'utf-16le',
  ],
  ['big-endian UTF-16', swapped('\uFEFFname,n\nZürich €,1\n"a,b;c",2\n'), '', 'comma', 'utf-16be'],
  [
    'UTF-16 without a byte order mark',
    swapped('name,n\nZürich €,1\n"a,b;c",2\n'),
    '?encoding=utf-16be',
    'comma',
    'utf-16be',
  ],
  [
    'Windows-1252',
    windows1252('name;n\r\nZürich €;1\r\n"a,b;c";2\r\n'),
    '?encoding=windows-1252',
    'semicolon',
    'windows-1252',
  ],
  [
    'a delimiter that is sent by name',
    'name,n\nZürich €,1\n"a,b;c",2\n',
    '?delimiter=comma',
    'comma',
    'utf-8',
  ],
  [
    'a delimiter that is sent as a character',
    'name;n\nZürich €;1\n"a,b;c";2\n',
    '?delimiter=;',
    'semicolon',
    'utf-8',
  ],
];

describe('an import of a file from a spreadsheet', () => {
  it.each(FILES)('reads %s and reports the format', async (_, file, query, delimiter, encoding) => {
    const { api } = team.editor;
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const response = await importCsv(api, grid, file, query);
    const data = dataOf(response, 201);
    expect(data).toMatchObject({ state: 'completed', created: 2, delimiter, encoding });
    expect(await reportOf(api, response)).toEqual(data);
    expect(await valuesOf(api, grid)).toEqual(ROWS);
  });

  it('reads a file that arrives byte by byte', async () => {
    const grid = await newDatagrid(team.owner.api, COLUMNS);
    const csv = { 'content-type': 'text/csv' };
    const sending = SlowImport.start(app, team.editor, grid, '', csv);
    for (const byte of Buffer.from('sep=;\r\nname;n\r\nZürich €;1\r\n"a,b;c";2\r\n')) {
      sending.write(Uint8Array.of(byte));
    }
    sending.end();
    expect((await sending.response).body.data).toMatchObject({
      created: 2,
      delimiter: 'semicolon',
    });
    expect(await valuesOf(team.owner.api, grid)).toEqual(ROWS);
  });

  it.each([
    [
      'a header that two delimiters split',
      'name,x;n\n1,5;2\n',
      '',
      'delimiter required',
      'the header can be split by "," or ";"; send delimiter=comma or delimiter=semicolon',
    ],
    [
      'one column with a delimiter in its name',
      'name;n\na\nb\n',
      '',
      'delimiter required',
      'the header can be split by ";" or ","; send delimiter=semicolon or delimiter=comma',
    ],
    [
      'an unknown delimiter',
      'name\n',
      '?delimiter=x',
      'delimiter invalid_format',
      'must be comma or semicolon or tab or pipe',
    ],
    [
      'an unsupported encoding',
      'name\n',
      '?encoding=koi8-r',
      'encoding invalid_format',
      'must be utf-8 or utf-16le or utf-16be or windows-1252',
    ],
    [
      'an encoding other than the byte order mark',
      '\uFEFFname\n',
      '?encoding=windows-1252',
      'encoding incompatible_parameters',
      'the file begins with the byte order mark of utf-8; send encoding=utf-8 or no encoding',
    ],
    [
      'UTF-16 without a byte order mark',
      Buffer.from('name;n\na;1\n', 'utf16le'),
      '',
      'encoding required',
      'the file looks like UTF-16 without a byte order mark; send encoding=utf-16le',
    ],
    [
      'a NUL character in the header',
      'name,n\u0000\n',
      '',
      'header.1 invalid_text',
      'must not contain the NUL character; if the file is UTF-16, send encoding=utf-16le or encoding=utf-16be',
    ],
    [
      'UTF-8 that is said to be UTF-16',
      'name,n\na,1\n',
      '?encoding=utf-16be',
      'encoding incompatible_parameters',
      'the file is not utf-16be; send no encoding, or that of the file',
    ],
    [
      'a web page',
      '<!DOCTYPE html>\n<html><body>Please sign in</body></html>\n',
      '',
      'body invalid_format',
      'looks like a web page or XML; check the address and the sign-in of the program that downloaded the file',
    ],
    [
      'a workbook',
      Buffer.from('504b0304140000000800', 'hex'),
      '',
      'body invalid_format',
      'is a workbook or a ZIP archive, not text; save the sheet as CSV',
    ],
    [
      'a header that is not UTF-8',
      windows1252('Größe,n\n'),
      '',
      'header.0 invalid_utf8',
      'contains bytes that are not valid utf-8 (0xF6 at character 3); send the encoding of the file, such as encoding=windows-1252',
    ],
    [
      'a JSON array',
      '[{"name":"a"}]',
      '',
      'header invalid_format',
      'looks like JSON, not CSV; send one JSON object per line, with Content-Type application/x-ndjson',
    ],
  ])('returns 400 for %s and says what to send', async (_, file, query, detail, message) => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    for (const more of ['', 'createColumns=true']) {
      const response = await importCsv(
        api,
        grid,
        file,
        `${query === '' ? '?' : `${query}&`}${more}`,
      );
      expectFailure(response, 'invalid_request', [detail]);
      expect(response.body.error.details[0].message).toBe(message);
    }
    expect((await api.get(grid)).body.data.columns).toHaveLength(COLUMNS.length);
    expect(await valuesOf(api, grid)).toEqual([]);
  });

  it('rejects lines that are invalid in the encoding and imports the others', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const utf8 = Buffer.concat([Buffer.from('name,n\na,1\n'), windows1252('ü,2\nb,3\n')]);
    const data = dataOf(await importCsv(api, grid, utf8, '?onError=skip'), 201);
    expect(rejections(data)).toEqual(['3 name invalid_utf8']);
    const bad = Buffer.concat([
      Buffer.from('name,n\na,1\n'),
      Buffer.from([0x81]),
      Buffer.from(',2\n'),
    ]);
    const query = '?onError=skip&encoding=windows-1252';
    expect(rejections(dataOf(await importCsv(api, grid, bad, query), 201))).toEqual([
      '3 name invalid_text',
    ]);
    const half = Buffer.from('name,n\na,1\n\uD83D,2\n', 'utf16le');
    const response = await importCsv(api, grid, half, '?onError=skip&encoding=utf-16le');
    expect(rejections(dataOf(response, 201))).toEqual(['3 name invalid_text']);
    expect((await valuesOf(api, grid)).map(({ name }) => name)).toEqual(['a', 'b', 'a', 'a']);
  });

  it('returns 400 for a delimiter or encoding with NDJSON, and reports UTF-8 without them', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const delimiter = await importNdjson(api, grid, '{}\n', '?delimiter=comma');
    expectFailure(delimiter, 'invalid_request', ['delimiter incompatible_parameters']);
    const encoding = await importNdjson(api, grid, '{}\n', '?encoding=utf-8');
    expectFailure(encoding, 'invalid_request', ['encoding incompatible_parameters']);
    const data = dataOf(await importNdjson(api, grid, '{}\n'), 201);
    expect(data).toMatchObject({ delimiter: null, encoding: 'utf-8' });
  });
});

describe('an import with blank or repeated header cells', () => {
  it('ignores a blank header cell above empty or missing cells', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const text = 'name,,n,,\na,,1,,\nb,,2\n';
    expect(dataOf(await importCsv(api, grid, text), 201)).toMatchObject({ created: 2 });
    const created = await importCsv(api, grid, 'name,, new ,\na,,x,\n', '?createColumns=true');
    expect(dataOf(created, 201)).toMatchObject({ created: 1, createdColumns: ['new'] });
    expect(await valuesOf(api, grid)).toEqual([
      { name: 'a', n: 1 },
      { name: 'b', n: 2 },
      { name: 'a', new: 'x' },
    ]);
  });

  it('returns 400 for a value below a blank header cell and names the cell', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const response = await importCsv(api, grid, 'name,n,\na,1,\nb,2,x\n');
    expectFailure(response, 'invalid_request', ['lines.3 unknown_column']);
    expect(response.body.error.details[0].message).toBe(
      'cell 3 has a value, but the header has no column for it',
    );
    expect(await valuesOf(api, grid)).toEqual([]);
  });

  it('names the duplicate, unknown and ambiguous header cells', async () => {
    const { api } = team.owner;
    const titled = COLUMNS.map((column) => ({ ...column, title: 'Same' }));
    const grid = await newDatagrid(api, titled);
    const twice = await importCsv(api, grid, 'n,name, n\n1,a,2\n');
    expectFailure(twice, 'invalid_request', ['header.2 duplicate_column']);
    expect(twice.body.error.message).toBe(
      'header.2: duplicate column name "n", already in header.0',
    );
    const others = await importCsv(api, grid, 'Same,colour\na,b\n');
    expectFailure(others, 'invalid_request', [
      'header.0 unknown_column',
      'header.1 unknown_column',
    ]);
    const details = others.body.error.details as { message: string }[];
    expect(details.map(({ message }) => message)).toEqual([
      '"Same" is the title of several columns; use a column key',
      'unknown column "colour"; use a column key or title, or createColumns=true',
    ]);
  });
});
