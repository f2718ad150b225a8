import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ClientFailure, WrongUsage } from '../failure';

/** A file of rows to send. */
export interface ImportSource {
  readonly contentType: string;
  readonly isZipped: boolean;
  /** Size of the file; `undefined` if it is unknown before the end of the file. */
  readonly bytes: number | undefined;
  /** Whether the file can be read more than once. */
  readonly isRepeatable: boolean;
  open(): Readable;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/**
 * Opens a file of rows.
 * @param file A path, or `-` for standard input.
 * @param format `csv` or `ndjson`; if `undefined`, it follows from the extension of the path,
 *   ignoring `.gz`.
 * @throws WrongUsage if the format is unknown.
 * @throws ClientFailure if the file cannot be read.
 */
export async function importSource(
  file: string,
  format: string | undefined,
): Promise<ImportSource> {
  const isZipped = /\.gz$/i.test(file);
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  const contentType = TYPES[format ?? ending ?? ''];
  if (contentType === undefined) {
    throw new WrongUsage(
      'Give --format csv or --format ndjson: the name of the file does not tell.',
    );
  }
  if (file === '-') {
    const open = (): Readable => process.stdin;
    return { contentType, isZipped: false, bytes: undefined, isRepeatable: false, open };
  }
  const found = await stat(file).catch((error: unknown) => {
    throw new ClientFailure(`The file cannot be read: ${(error as Error).message}`);
  });
  const bytes = found.isFile() ? found.size : undefined;
  const open = (): Readable => createReadStream(file);
  return { contentType, isZipped, bytes, isRepeatable: found.isFile(), open };
}
