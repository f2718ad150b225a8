import { workbookOf, zipOf } from '../../../../../test/support/zip';
import { FileRejectedError } from './record';
import { detectFormat, readSample } from './source';
import { readXlsx } from './xlsx';

const ROWS = `<row r="1"><c r="A1" t="inlineStr"><is><t>PLZ</t></is></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>01067</t></is></c><c r="B2"><v>1234567.890123456789</v></c><c r="C2" s="1"><v>45000</v></c></row>
<row r="4"><c r="A4" t="inlineStr"><is><t> x </t></is></c><c r="B4"><v>-0.5</v></c></row>`;

describe('a workbook', () => {
  it('is read with exact digits, dates, spaces and row numbers', async () => {
    const file = new File([zipOf(workbookOf(ROWS))], 'a.xlsx');
    const format = await detectFormat(file);
    expect(format).toEqual({ kind: 'xlsx', hasHeader: true });
    const { names, records } = await readSample(file, format);
    expect(names).toEqual(['PLZ', 'Sum', 'Day']);
    expect(records).toEqual([
      { line: 2, cells: ['01067', '1234567.890123456789', '2023-03-15'] },
      { line: 4, cells: [' x ', '-0.5', null] },
    ]);
  });

  it('has the decimals that Excel shows, and the digits that no double has', async () => {
    const written = [
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

  it('that is not a ZIP file is rejected', async () => {
    const file = new File(['PK\x03\x04 and nothing else'], 'broken.xlsx');
    await expect(readXlsx(file)).rejects.toThrow('The workbook is damaged.');
  });
});
