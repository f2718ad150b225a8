import { FileRejectedError, type Cell, type SourceRecord } from './record';

/** Limits of a workbook, which is read into memory as a whole. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 400 * 1024 * 1024;
/** Length of the end of a ZIP file that holds its directory. */
const DIRECTORY_BYTES = 1024 * 1024;

/** Reads the first worksheet. Numbers keep the digits of the file. */
export async function readXlsx(file: Blob): Promise<readonly SourceRecord[]> {
  await checkSize(file);
  const { readSheet } = await import('read-excel-file/web-worker');
  const rows = await readSheet(file, 1, { trim: false, parseNumber: (digits) => digits }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw new FileRejectedError(`The workbook cannot be read: ${reason}.`);
    },
  );
  return rows
    .map((cells, at) => ({ line: at + 1, cells: cells.map(cellOf) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined || value === '') return null;
  if (!(value instanceof Date)) return typeof value === 'string' ? value : JSON.stringify(value);
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1000) * 1000)
    .toISOString()
    .split('T');
  return time.startsWith('00:00:00') ? day : `${day}T${time.slice(0, 8)}`;
}

/** @throws FileRejectedError for a ZIP file that would take too much memory. */
async function checkSize(file: Blob): Promise<void> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileRejectedError('The workbook is larger than 50 MB. Save the sheet as CSV.');
  }
  const tail = await file.slice(Math.max(0, file.size - DIRECTORY_BYTES)).arrayBuffer();
  const unpacked = unpackedBytes(new DataView(tail));
  if (unpacked === undefined) throw new FileRejectedError('The workbook is damaged.');
  if (unpacked > MAX_UNPACKED_BYTES) {
    throw new FileRejectedError('The workbook is too large to be unpacked. Save the sheet as CSV.');
  }
}

/** Returns the sum of the sizes in the directory of a ZIP file. */
function unpackedBytes(tail: DataView): number | undefined {
  let [bytes, entries] = [0, 0];
  for (let at = 0; at + 46 <= tail.byteLength; at += 1) {
    if (tail.getUint32(at, true) !== 0x02014b50) continue;
    bytes += tail.getUint32(at + 24, true);
    entries += 1;
    at += 45;
  }
  return entries === 0 ? undefined : bytes;
}
