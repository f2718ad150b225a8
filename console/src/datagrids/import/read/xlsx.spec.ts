import { workbookOf, zipOf } from '../../../../../test/support/zip';
import { FileRejectedError } from './record';
import { detectFormat, readSample } from './source';
import { readXlsx } from './xlsx';

const ROWS = `<row r="1"><c r="A1" t="inlineStr"><is><t>PLZ</t></is></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>01067</t></is></c><c r="B2"><v>1234567.890123456789</v></c><c r="C2" s="1"><v>45000</v></c></row>
<row r="4"><c r="A4" t="inlineStr"><is><t> x </t></is></c><c r="B4"><v>-0.5</v></c></row>`;

const cellsOf = async (files: Readonly<Record<string, string>>): Promise<unknown> =>
  (await readXlsx(new File([zipOf(files)], 'a.xlsx'))).map(({ cells }) => cells);

const DATE_AND_TIME = ['yyyy\\-mm\\-dd\\ hh:mm:ss', '[hh]:mm:ss', '0.00%', '#,##0.00\\ [$€-407]'];
const STRICT = {
  main: 'http://purl.oclc.org/ooxml/spreadsheetml/main',
  relations: 'http://purl.oclc.org/ooxml/officeDocument/relationships',
};

/** Rows in the manner of different writers, and the cells that are read. */
const WRITERS: readonly (readonly [string, Parameters<typeof workbookOf>, unknown])[] = [
  [
    'Excel, with shared strings, runs, pronunciations and escapes',
    [
      '<row r="1" spans="1:4"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="str"><f>""</f><v></v></c><c r="E1" t="b"><v>1</v></c><c r="F1" t="b"><v>0</v></c></row>',
      {
        strings:
          '<si><r><rPr><b/></rPr><t>bo</t></r><r><t xml:space="preserve">ld </t></r></si><si><t>課きく</t><rPh sb="0" eb="1"><t>カ</t></rPh></si><si><t>a_x000D_&#10;_x005F_x000D_</t></si>',
      },
    ],
    [['bold ', '課きく', 'a\r\n_x000D_', null, 'true', 'false']],
  ],
  [
    'Excel, with dates, times, percents and amounts',
    [
      '<row r="1"><c r="A1" s="1"><v>45500</v></c><c r="B1" s="2"><v>45500.25</v></c><c r="C1" s="2"><v>45501</v></c><c r="D1" s="4"><v>1.5</v></c><c r="E1" s="5"><v>0.125</v></c><c r="F1" s="6"><v>1234.5</v></c></row>',
      { formats: DATE_AND_TIME },
    ],
    [['2024-07-27', '2024-07-27T06:00:00', '2024-07-28T00:00:00', '36:00:00', '0.125', '1234.5']],
  ],
  [
    'Excel in its strict form, with dates of ISO 8601',
    [
      '<row r="1"><c r="A1" s="1" t="d"><v>2025-05-09</v></c><c r="B1" s="2" t="d"><v>2025-05-09T18:20:00.000</v></c></row>',
      { namespaces: STRICT, properties: '<workbookPr dateCompatibility="false"/>' },
    ],
    [['2025-05-09', '2025-05-09T18:20:00']],
  ],
  [
    'LibreOffice, which writes true in words, and dates before 1900',
    [
      '<row r="1" customFormat="false" ht="12.8"><c r="A1" s="1" t="n"><v>-18260</v></c><c r="B1" s="3" t="n"><v>45500</v></c></row>',
      { properties: '<workbookPr date1904="false"/>', formats: DATE_AND_TIME },
    ],
    [['1850-01-01', '2024-07-27T00:00:00']],
  ],
  [
    'a Macintosh, with days from 1904 on',
    [
      '<row r="1"><c r="A1" s="1"><v>44000</v></c></row>',
      { properties: '<workbookPr date1904="true"/>' },
    ],
    [['2024-06-19']],
  ],
  [
    'Google Sheets and Numbers, with characters as numbers and in CDATA',
    [
      '<row r="1"><c r="A1" s="0" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>&#x20BB7;&#37326;</t></is></c><c r="C1" t="inlineStr"><is><t><![CDATA[A&B <2>]]></t></is></c></row>',
      { strings: '<si><t>cake &#127856;</t></si>' },
    ],
    [['cake 🍰', '𠮷野', 'A&B <2>']],
  ],
  [
    'writers that leave out references, and write numbers in other forms',
    [
      '<row><c t="inlineStr"><is><t>a</t></is></c><c><v>1</v></c><c/><c><v>.5</v></c></row><row><c><v> 7. </v></c><c><v>1E+2</v></c><c><v>+3</v></c><c><v>NaN</v></c></row><row r="9"><c r="C9"><v>2</v></c><c><v>3</v></c></row>',
    ],
    [
      ['a', '1', null, '0.5'],
      ['7', '100', '3', 'NaN'],
      [null, null, '2', '3'],
    ],
  ],
];

describe('a workbook of', () => {
  it.each(WRITERS)('%s is read as it was meant', async (_name, parts, cells) => {
    expect(await cellsOf(workbookOf(...parts))).toEqual(cells);
  });

  it('writers that give names a prefix, and other paths to files, is read', async () => {
    const files = workbookOf(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>1</v></c></row>',
      { strings: '<si><t>x</t></si>' },
    );
    const moved = Object.entries(files).map(([name, xml]): [string, string] => {
      if (name.endsWith('.rels')) {
        const to = xml.replaceAll(/Target="(\w+)/g, 'Target="/Book/parts/../Parts/$1');
        return ['book/_rels/main.xml.rels', to];
      }
      const marked = xml.replaceAll(/<(\/?)(?=\w)/g, '<$1x:').replace('xmlns=', 'xmlns:x=');
      return [name.replace('xl/workbook', 'book/main').replace(/^xl/, 'book\\parts'), marked];
    });
    const root = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${STRICT.relations}/officeDocument" Target="book/main.xml"/></Relationships>`;
    expect(await cellsOf({ ...Object.fromEntries(moved), '_rels/.rels': root })).toEqual([
      ['x', '1900-01-01'],
    ]);
  });

  it('several sheets is read from the first that is a visible worksheet, or the chosen one', async () => {
    const files = workbookOf('<row><c><v>1</v></c></row>');
    const names = ['Chart', 'Hidden', 'Data', 'More'];
    const sheets = names.map(
      (name, at) =>
        `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"${name === 'Hidden' ? ' state="veryHidden"' : ''}/>`,
    );
    const parts = names.map(
      (name, at) =>
        `<Relationship Id="s${at}" Type="${STRICT.relations}/${at === 0 ? 'chartsheet' : 'worksheet'}" Target="${name}.xml"/>`,
    );
    const sheetOf = (value: number): string =>
      `<worksheet><sheetData><row><c><v>${value}</v></c></row></sheetData></worksheet>`;
    const file = new File(
      [
        zipOf({
          ...files,
          'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${sheets.join('')}</sheets></workbook>`,
          'xl/_rels/workbook.xml.rels': `<Relationships>${parts.join('')}</Relationships>`,
          ...Object.fromEntries(names.map((name, at) => [`xl/${name}.xml`, sheetOf(at)])),
        }),
      ],
      'a.xlsx',
    );
    expect(await detectFormat(file)).toMatchObject({ sheet: 'Data', sheets: ['Data', 'More'] });
    expect((await readXlsx(file)).map(({ cells }) => cells)).toEqual([['2']]);
    expect((await readXlsx(file, 'More')).map(({ cells }) => cells)).toEqual([['3']]);
  });
});

describe('a workbook', () => {
  it('is read with exact digits, dates, spaces and row numbers', async () => {
    const file = new File([zipOf(workbookOf(ROWS))], 'a.xlsx');
    const format = await detectFormat(file);
    expect(format).toEqual({ kind: 'xlsx', hasHeader: true, sheet: 'A', sheets: ['A'] });
    const { names, records } = await readSample(file, format);
    expect(names).toEqual(['PLZ', 'Sum', 'Day']);
    expect(records).toEqual([
      { line: 2, cells: ['01067', '1234567.890123456789', '2023-03-15'] },
      { line: 4, cells: [' x ', '-0.5'] },
    ]);
  });

  it('has the decimals that Excel and Gnumeric show, and the digits that no double has', async () => {
    const written = [
      '0.100000000000000000001',
      '-19.9899999999999999998',
      '3.47222222222222199984E-05',
      '1.00000000000000000001E+22',
      '1.10000000000000000101',
      '12345678901234567.001234',
      '1.1000000000000001',
      '19.989999999999998',
      '1.0000000000000001E-5',
      '12345678901234567890',
      '72057594037927936',
      '0.30000000000000004',
    ];
    const rows = written
      .map((digits, at) => `<row r="${at + 1}"><c r="A${at + 1}"><v>${digits}</v></c></row>`)
      .join('');
    const file = new File([zipOf(workbookOf(rows))], 'a.xlsx');
    expect((await readXlsx(file)).map(({ cells }) => cells[0])).toEqual([
      '0.1',
      '-19.99',
      '0.00003472222222222222',
      '10000000000000000000000',
      '1.10000000000000000101',
      '12345678901234567.001234',
      '1.1',
      '19.99',
      '0.00001',
      '12345678901234567890',
      '72057594037927936',
      '0.30000000000000004',
    ]);
  });

  it('that would unpack to more than 200 MB is rejected before it is unpacked', async () => {
    const file = new File([zipOf(workbookOf(ROWS), 60 * 1024 * 1024)], 'bomb.xlsx');
    await expect(readXlsx(file)).rejects.toThrow(
      'The workbook is too large to be unpacked. Save the sheet as CSV.',
    );
  });

  it('that unpacks to more than its directory says is cut, not unpacked', async () => {
    const rows = '<row r="1"><c r="A1"><v>1</v></c></row>'.repeat(50_000);
    const file = new File([zipOf(workbookOf(rows), 1_000)], 'lie.xlsx');
    await expect(readXlsx(file)).rejects.toBeInstanceOf(FileRejectedError);
  });

  it('that is not a ZIP file, or not XML, or has other references, is rejected', async () => {
    const rejects = async (content: BlobPart): Promise<void> => {
      const read = readXlsx(new File([content], 'broken.xlsx'));
      await expect(read).rejects.toEqual(new FileRejectedError('The workbook is damaged.'));
    };
    await rejects('PK\x03\x04 and nothing else');
    await rejects(zipOf(workbookOf('<row><c></row>')));
    await rejects(zipOf(workbookOf('<row><c t="s"><v>5</v></c></row>')));
    await rejects(zipOf(workbookOf('<row><c r="XFE1"><v>5</v></c></row>')));
  });

  it('of another kind is named', async () => {
    const file = new File([zipOf({ 'content.xml': '<office/>' })], 'a.xlsx');
    await expect(detectFormat(file)).rejects.toThrow(
      'The file is a ZIP file, but no Excel workbook (.xlsx). Save it as .xlsx or CSV.',
    );
  });
});
