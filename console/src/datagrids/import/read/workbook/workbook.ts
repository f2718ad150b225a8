import { unzipSync } from 'fflate';
import { importText } from '../../../../text/import-text';
import { FileRejectedError } from '../record';
import { kindOf, type NumberKind } from './number-format';
import { type Attributes, isTrue, prefixed, readXml, unescaped } from './xml';

const t = importText.read;

/** Limits of a workbook, which is unpacked into memory as a whole. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;

/** A worksheet and its name. */
export interface Sheet {
  readonly name: string;
  readonly path: string;
}

/** A workbook whose worksheets have not been read yet. */
export interface Workbook {
  /** The worksheets that are not hidden; all if all are hidden. */
  readonly sheets: readonly Sheet[];
  readonly is1904: boolean;
  /** What the number formats of cells show, by the number of the style. */
  readonly kinds: readonly NumberKind[];
  readonly strings: readonly string[];
  readonly bytesOf: (sheet: Sheet) => Uint8Array | undefined;
}

/**
 * Opens a workbook. A name of a file in it begins without a slash and is in lower case, because
 * writers differ.
 * @throws FileRejectedError for a file that is no workbook, or would take too much memory.
 */
export async function openWorkbook(file: Blob): Promise<Workbook> {
  const files = await unpacked(file);
  const root = relationsOf(files, '');
  const path = root.find(({ type }) => type === 'officedocument')?.path ?? 'xl/workbook.xml';
  const bytes = files.get(path);
  if (!bytes || !path.endsWith('.xml')) throw new FileRejectedError(t.noWorkbook);
  const relations = relationsOf(files, path);
  const partOf = (name: string): Uint8Array | undefined =>
    files.get(relations.find(({ type }) => type === name)?.path ?? '');
  let is1904 = false;
  const sheets: (Sheet & { readonly isHidden: boolean })[] = [];
  readXml(bytes, {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      const id = prefixed(attributes, 'id');
      // A sheet can also be a chart, a dialog or macros.
      const part = relations.find((each) => each.id === id && each.type === 'worksheet');
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      if (part) sheets.push({ name: attributes['name'] ?? '', path: part.path, isHidden });
    },
  });
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  return {
    sheets: visible.length > 0 ? visible : sheets,
    is1904,
    kinds: kindsOf(partOf('styles')),
    strings: stringsOf(partOf('sharedstrings')),
    bytesOf: (sheet) => files.get(sheet.path),
  };
}

type Files = ReadonlyMap<string, Uint8Array>;

async function unpacked(file: Blob): Promise<Files> {
  if (file.size > MAX_FILE_BYTES) throw new FileRejectedError(t.workbookSize);
  const zip = new Uint8Array(await file.arrayBuffer());
  let bytes = 0;
  try {
    // Each file gets the memory of the size that is declared for it, and no more.
    const files = unzipSync(zip, {
      filter: ({ name, originalSize }) => {
        if (!/\.(?:xml|rels)$/i.test(name)) return false;
        bytes += originalSize;
        if (bytes > MAX_UNPACKED_BYTES) throw new FileRejectedError(t.workbookUnpacked);
        return true;
      },
    });
    return new Map(Object.entries(files).map(([name, content]) => [normalized(name), content]));
  } catch (error) {
    if (error instanceof FileRejectedError) throw error;
    throw new FileRejectedError(t.workbookDamaged);
  }
}

/** Returns the name of a file without `.` and `..`, in lower case. */
function normalized(name: string): string {
  const parts: string[] = [];
  for (const part of name.toLowerCase().split(/[/\\]/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

interface Relation {
  readonly id: string | undefined;
  /** Last part of the type, which is the same in all versions of the standard, in lower case. */
  readonly type: string;
  readonly path: string;
}

/** Returns the relations of a file; of the package for ''. */
function relationsOf(files: Files, path: string): readonly Relation[] {
  const at = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, at);
  const relations: Relation[] = [];
  readXml(files.get(`${folder}_rels/${path.slice(at)}.rels`), {
    open: (name, { Id: id, Type: type = '', Target: target = '' }: Attributes) => {
      if (name !== 'Relationship') return;
      const from = /^[/\\]/.test(target) ? '' : folder;
      const kind = type.slice(type.lastIndexOf('/') + 1).toLowerCase();
      relations.push({ id, type: kind, path: normalized(from + target) });
    },
  });
  return relations;
}

function kindsOf(bytes: Uint8Array | undefined): readonly NumberKind[] {
  const codes = new Map<number, string>();
  const kinds: NumberKind[] = [];
  let isInCells = false;
  readXml(bytes, {
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (name === 'cellXfs') isInCells = true;
      else if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      else if (name === 'xf' && isInCells) {
        kinds.push(kindOf(Number(numFmtId), codes.get(Number(numFmtId))));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return kinds;
}

function stringsOf(bytes: Uint8Array | undefined): readonly string[] {
  const strings: string[] = [];
  let [text, isText, isPhonetic] = ['', false, false];
  readXml(bytes, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      // Of text with formats, each run has its own text. How it is pronounced is no part of it.
      else if (name === 't') isText = !isPhonetic;
    },
    text: (part) => {
      if (isText) text += part;
    },
    close: (name) => {
      if (name === 'si') strings.push(unescaped(text));
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 't') isText = false;
    },
  });
  return strings;
}
