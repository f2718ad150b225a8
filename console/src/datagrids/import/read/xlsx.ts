import { unzipSync, zipSync } from 'fflate';
// Not loaded on demand: the CSP of assets lets a worker load nothing more.
import { readSheet } from 'read-excel-file/web-worker';
import { importText } from '../../../text/import-text';
import { readNumber } from '../values/read-number';
import { FileRejectedError, type Cell, type SourceRecord } from './record';

const t = importText.read;

/** Limits of a workbook, which is read into memory as a whole. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;

/** Reads the first worksheet. Numbers are text, with the digits of the file. */
export async function readXlsx(file: Blob): Promise<readonly SourceRecord[]> {
  const workbook = await unpacked(file);
  const rows = await readSheet(workbook, 1, { trim: false, parseNumber: digitsOf }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : t.unknown;
      throw new FileRejectedError(t.workbook(reason));
    },
  );
  return rows
    .map((cells, at) => ({ line: at + 1, cells: cells.map(cellOf) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
}

/**
 * Returns the digits of a number of a workbook. Excel writes the double 1.1 with 17 digits, as
 * 1.1000000000000001: such a number gets the shortest digits of the same double. Other digits stay.
 */
function digitsOf(written: string): string {
  const digits = readNumber(written, '.') ?? written;
  const double = Number(written);
  const isDouble =
    digits.includes('.') && withoutZeros(double.toPrecision(17)) === withoutZeros(digits);
  return (isDouble ? readNumber(String(double), '.') : undefined) ?? digits;
}

const withoutZeros = (digits: string): string =>
  (readNumber(digits, '.') ?? digits).replace(/\.?0+$/, '');

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined || value === '') return null;
  if (!(value instanceof Date)) return typeof value === 'string' ? value : JSON.stringify(value);
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1000) * 1000)
    .toISOString()
    .split('T');
  return time.startsWith('00:00:00') ? day : `${day}T${time.slice(0, 8)}`;
}

/**
 * Returns the workbook without compression. The reader of workbooks unpacks large files in a worker
 * from a `blob:` URL, which the CSP of the console forbids; this runs in a worker already.
 * @throws FileRejectedError for a file that would take too much memory, before it is unpacked.
 */
async function unpacked(file: Blob): Promise<ArrayBuffer> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileRejectedError(t.workbookSize);
  }
  let bytes = 0;
  try {
    // Each file gets the memory of the size that is declared for it, and no more.
    const files = unzipSync(new Uint8Array(await file.arrayBuffer()), {
      filter: ({ name, originalSize }) => {
        if (!/\.(?:xml|rels)$/i.test(name)) return false;
        bytes += originalSize;
        if (bytes > MAX_UNPACKED_BYTES) throw new FileRejectedError(t.workbookUnpacked);
        return true;
      },
    });
    return zipSync(files, { level: 0 }).buffer;
  } catch (error) {
    if (error instanceof FileRejectedError) throw error;
    throw new FileRejectedError(t.workbookDamaged);
  }
}
