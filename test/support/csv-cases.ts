/** A row that is read, or a line that is rejected with a text in its reason. */
export type CsvRow = readonly (string | null)[] | { readonly rejected: string };

/** A CSV file and what is read from it, wherever it is imported. */
export interface CsvCase {
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  /** Encoding that the API must be told; the console detects it. */
  readonly encoding?: string;
  readonly header: readonly string[];
  /** Rows by the line on which they start. */
  readonly rows: readonly (readonly [line: number, row: CsvRow])[];
}

type File = string | readonly (string | number)[];

/** @param file Text in UTF-8; numbers between texts are bytes. */
function bytesOf(file: File): Uint8Array<ArrayBuffer> {
  const parts = typeof file === 'string' ? [file] : file;
  const bytes = parts.map((part) =>
    typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]),
  );
  return new Uint8Array(Buffer.concat(bytes));
}

const csvCase = (
  name: string,
  file: File,
  header: readonly string[],
  rows: CsvCase['rows'],
  encoding?: string,
): CsvCase => ({ name, file: bytesOf(file), header, rows, ...(encoding && { encoding }) });

const UTF16 = Buffer.from('\uFEFFName;Ort\r\nJürgen;"Köln\r\nDeutz"\r\n', 'utf16le');
const GERMAN = 'Jürgen;Düren\n'.repeat(20);
const READ = Array.from({ length: 20 }, (_none, at) => [at + 2, ['Jürgen', 'Düren']] as const);
const QUOTE = { rejected: 'has an unexpected quote' };

/** Files in the manner of those that people report for importers of other programs. */
export const CSV_CASES: readonly CsvCase[] = [
  csvCase(
    'quotes, delimiters and line ends in cells',
    'name,note\n"Ann ""A""","a, b\r\nc"\nBob,\n',
    ['name', 'note'],
    [
      [2, ['Ann "A"', 'a, b\r\nc']],
      [4, ['Bob', null]],
    ],
  ),
  csvCase(
    'years as names of columns',
    'Region,Code,2021,2022\nNorth,N1,512,530\nSouth,S4,98,2021\n',
    ['Region', 'Code', '2021', '2022'],
    [
      [2, ['North', 'N1', '512', '530']],
      [3, ['South', 'S4', '98', '2021']],
    ],
  ),
  csvCase(
    'a misplaced quote that costs its own line',
    'a,b\n"x"y,9\nn1,1\nn2,2\n"q",3\nn4,4\n',
    ['a', 'b'],
    [
      [2, QUOTE],
      [3, ['n1', '1']],
      [4, ['n2', '2']],
      [5, ['q', '3']],
      [6, ['n4', '4']],
    ],
  ),
  csvCase(
    'a misplaced quote after lines that are in quotes',
    'a,b\n"x\ny,1\nz"z,2\nn,3\n',
    ['a', 'b'],
    [
      [2, { rejected: 'lines 2 to 4' }],
      [5, ['n', '3']],
    ],
  ),
  csvCase(
    'a quote that is never closed',
    'a,b\nx,1\n"y,2\nz,3\n',
    ['a', 'b'],
    [
      [2, ['x', '1']],
      [3, { rejected: 'lines 3 to 4' }],
    ],
  ),
  csvCase(
    'a space before a quote',
    'name, city\n"Ann", "Bern, CH"\nBob, Thun\n"Eve" ,Genf\n',
    ['name', 'city'],
    [
      [2, QUOTE],
      [3, ['Bob', ' Thun']],
      [4, QUOTE],
    ],
  ),
  csvCase(
    'a quote inside a cell without quotes',
    'name,size\npipe,5" wide\nhose,2\n',
    ['name', 'size'],
    [
      [2, QUOTE],
      [3, ['hose', '2']],
    ],
  ),
  csvCase(
    'bytes of UTF-8 and a byte of another encoding',
    [`Name;Ort\n${GERMAN}Ren`, 0xe9, ';Genève\n'],
    ['Name', 'Ort'],
    [...READ, [22, { rejected: '0xE9 at character 4' }]],
  ),
  csvCase(
    'a character of UTF-8 that is cut off',
    [`Name;Ort\n${GERMAN}Zo`, 0xc3, ';Bern\nAnn;Z', 0xc3, 0xbc, 'rich\n'],
    ['Name', 'Ort'],
    [...READ, [22, { rejected: '0xC3 at character 3' }], [23, ['Ann', 'Zürich']]],
  ),
  csvCase(
    'Windows-1252, with a byte that it does not have',
    ['Name;Preis\nRen', 0xe9, ';5 ', 0x80, '\nEm', 0x81, ';7\n'],
    ['Name', 'Preis'],
    [
      [2, ['René', '5 €']],
      [3, { rejected: '0x81 at character 3' }],
    ],
    'windows-1252',
  ),
  {
    name: 'UTF-16 with a byte order mark',
    file: new Uint8Array(UTF16),
    header: ['Name', 'Ort'],
    rows: [[2, ['Jürgen', 'Köln\r\nDeutz']]],
  },
  csvCase(
    "Excel's line that names the delimiter, and a byte order mark",
    '\uFEFFsep=;\r\nname;n\r\n"a,b";1,5\r\n',
    ['name', 'n'],
    [[3, ['a,b', '1,5']]],
  ),
  csvCase(
    'lines that end in LF and CRLF',
    'a;b\n1;x\r\n2;"y"\r\n3;z\n',
    ['a', 'b'],
    [
      [2, ['1', 'x']],
      [3, ['2', 'y']],
      [4, ['3', 'z']],
    ],
  ),
  csvCase(
    'lines that end in CR',
    'a\tb\r1\t"x\ry"\r2\tz\r',
    ['a', 'b'],
    [
      [2, ['1', 'x\ry']],
      [4, ['2', 'z']],
    ],
  ),
  csvCase(
    'decimals with a comma, below a header with another delimiter in quotes',
    '"a,b";c\n1,50;10.00\n3,25;07\n',
    ['a,b', 'c'],
    [
      [2, ['1,50', '10.00']],
      [3, ['3,25', '07']],
    ],
  ),
  csvCase(
    'rows with fewer and with more cells than the header',
    'a,b,c\n1,2\n1,2,3,4\n1,2,3\n',
    ['a', 'b', 'c'],
    [
      [2, { rejected: 'cells' }],
      [3, { rejected: 'cells' }],
      [4, ['1', '2', '3']],
    ],
  ),
  csvCase(
    'empty lines',
    '\n\nname,n\n\na,1\n\r\nb,2\n\n',
    ['name', 'n'],
    [
      [5, ['a', '1']],
      [7, ['b', '2']],
    ],
  ),
  csvCase(
    'rows of empty cells',
    'name,n\na,1\n,\n"",""\nb,2\n,\n',
    ['name', 'n'],
    [
      [2, ['a', '1']],
      [3, [null, null]],
      [4, [null, null]],
      [5, ['b', '2']],
      [6, [null, null]],
    ],
  ),
];
