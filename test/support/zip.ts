import { crc32, deflateRawSync } from 'node:zlib';

/**
 * Returns a ZIP file.
 * @param unpackedBytes Replaces the sizes of the contents in the directory.
 */
export function zipOf(
  files: Readonly<Record<string, string>>,
  unpackedBytes?: number,
): Buffer<ArrayBuffer> {
  const [local, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const packed = deflateRawSync(data);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(data), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(unpackedBytes ?? data.length, 18);
    head.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const entry = [Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed];
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

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface WorkbookParts {
  /** XML before the list of worksheets, such as `<workbookPr date1904="1"/>`. */
  readonly properties?: string;
  /** XML of the shared strings. */
  readonly strings?: string;
  /** Codes of number formats, for the styles from 3. The styles 1 and 2 are a date, and a date with a time. */
  readonly formats?: readonly string[];
  /** Other names of the XML namespaces. */
  readonly namespaces?: { readonly main: string; readonly relations: string };
}

/**
 * Returns the files of a workbook with one worksheet.
 * @param rows XML of the rows.
 */
export function workbookOf(
  rows: string,
  { properties = '', strings = '', formats = [], namespaces }: WorkbookParts = {},
): Readonly<Record<string, string>> {
  const { main, relations } = namespaces ?? { main: MAIN, relations: RELATIONS };
  const ns = `xmlns="${main}"`;
  const parts = ['worksheet', 'styles', 'sharedStrings'].map(
    (type, at) =>
      `<Relationship Id="rId${at + 1}" Type="${relations}/${type}" Target="${type}.xml"/>`,
  );
  const codes = formats.map((code, at) => `<numFmt numFmtId="${at + 164}" formatCode='${code}'/>`);
  const ids = [0, 14, 22, ...formats.map((_code, at) => at + 164)];
  return {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook ${ns} xmlns:r="${relations}">${properties}<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${parts.join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet ${ns}><numFmts>${codes.join('')}</numFmts><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${ns}>${strings}</sst>`,
    'xl/worksheet.xml': `<worksheet ${ns}><sheetData>${rows}</sheetData></worksheet>`,
  };
}
