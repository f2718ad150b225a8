import { crc32 } from 'node:zlib';
import { detectFormat, readSample } from './source';
import { readXlsx } from './xlsx';

/** Returns a ZIP file without compression. `size` replaces the unpacked size in its directory. */
function zipOf(files: Readonly<Record<string, string>>, size?: number): Buffer<ArrayBuffer> {
  const [local, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt32LE(crc32(data), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(size ?? data.length, 18);
    head.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const entry = [Buffer.from('PK\x03\x04'), head, Buffer.from(name), data];
    central.push(Buffer.from('PK\x01\x02\x14\x00'), head, place, Buffer.from(name));
    local.push(...entry);
    offset += Buffer.concat(entry).length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

const NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const WORKBOOK = {
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
  'xl/workbook.xml': `<workbook ${NS} xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet ${NS}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
  'xl/worksheets/sheet1.xml': `<worksheet ${NS}><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>PLZ</t></is></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>01067</t></is></c><c r="B2"><v>1234567.890123456789</v></c><c r="C2" s="1"><v>45000</v></c></row>
<row r="4"><c r="A4" t="inlineStr"><is><t> x </t></is></c><c r="B4"><v>-0.5</v></c></row>
</sheetData></worksheet>`,
};

describe('a workbook', () => {
  it('is read with exact digits, dates, spaces and row numbers', async () => {
    const file = new File([zipOf(WORKBOOK)], 'a.xlsx');
    const format = await detectFormat(file);
    expect(format).toEqual({ kind: 'xlsx', hasHeader: true });
    const { names, records } = await readSample(file, format);
    expect(names).toEqual(['PLZ', 'Sum', 'Day']);
    expect(records).toEqual([
      { line: 2, cells: ['01067', '1234567.890123456789', '2023-03-15'] },
      { line: 4, cells: [' x ', '-0.5', null] },
    ]);
  });

  it('that would unpack to more than 400 MB is rejected before it is unpacked', async () => {
    const file = new File([zipOf(WORKBOOK, 200 * 1024 * 1024)], 'bomb.xlsx');
    await expect(readXlsx(file)).rejects.toThrow(
      'The workbook is too large to be unpacked. Save the sheet as CSV.',
    );
  });
});
