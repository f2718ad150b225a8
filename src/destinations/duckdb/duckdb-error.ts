import { setTimeout as delay } from 'node:timers/promises';
import { DestinationError, type FailureKind, FencedError } from '../destination';

/** An error, as the process of DuckDB sends it to the service. */
export type SentError =
  | { readonly type: 'fenced'; readonly token: number }
  | { readonly type: FailureKind; readonly message: string; readonly cause: string }
  | { readonly type: 'other'; readonly message: string };

/** Messages of DuckDB, and what they mean for the owner of a connection. The first match counts. */
export type ErrorMeanings = readonly (readonly [RegExp, FailureKind, string])[];

/** Message of a query of a scheduled import that needs too much memory. */
export const QUERY_MEMORY =
  'The query needs more memory than the operator allows for a DuckDB file. Select fewer rows or shorter values, or sort less.';

/** Meanings for a file of DuckDB. */
export const FILE_MEANINGS: ErrorMeanings = [
  [
    /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded|File too large|Could not write all bytes/i,
    'unavailable',
    'The disk of the file is full. Nothing was changed. The sync continues once there is space.',
  ],
  [
    /max_temp_directory_size|failed to offload/i,
    'unavailable',
    'There is not enough disk space for the temporary data of the sync. Nothing was changed.',
  ],
  [
    /^Out of Memory Error|bad_alloc/i,
    'unavailable',
    'The sync needs more memory than the operator allows for a DuckDB file. Nothing was changed.',
  ],
  [
    /Could not set lock on file|being used by another process|Conflicting lock/i,
    'unavailable',
    'The file is open in another program. Close it there; the sync then continues by itself.',
  ],
  [
    /newer version of DuckDB|we can only read versions/i,
    'configuration',
    "The file was written by a newer DuckDB, in a form that this version cannot read. Write it with (STORAGE_VERSION 'v1.5.0') in ATTACH, or with the setting storage_compatibility_version.",
  ],
  [
    /not a valid DuckDB database file|replaying WAL|storage version|^Serialization Error|Corrupt|is a directory/i,
    'configuration',
    'The file is not a DuckDB database that this version can read. Move it away, or choose another name.',
  ],
  [
    /Permission denied|Read-only file system|read-only mode/i,
    'unavailable',
    'The file cannot be written. The operator must give the service the permission to write it.',
  ],
  [
    /^Dependency Error/i,
    'configuration',
    'An object of yours, such as an index, depends on a synced table. Drop it; views can stay.',
  ],
  [
    /^TransactionContext Error|^Transaction|Duplicate key|write-write conflict|\bconflict\b/i,
    'unavailable',
    'Another sync has changed the file at the same time. The sync is repeated.',
  ],
  [
    /^FATAL|has been invalidated|^IO Error|^INTERRUPT|^Connection Error/i,
    'unavailable',
    'The file could not be read or written. Nothing was changed. The sync is repeated.',
  ],
];

/** Returns whether the database can no longer be used after an error, until it is opened again. */
export function isFatal(error: unknown): boolean {
  return /^(?:FATAL|INTERNAL) Error/i.test(textOf(error));
}

/** Returns whether two transactions have changed the same row. */
export function isConflict(error: unknown): boolean {
  return /^TransactionContext Error|write-write conflict|\bconflict\b|^Constraint Error/i.test(
    textOf(error),
  );
}

/** Returns the form in which an error is sent. Values of rows are left out. */
export function sentError(error: unknown, meanings: ErrorMeanings): SentError {
  if (error instanceof FencedError) return { type: 'fenced', token: error.token };
  const text = textOf(error);
  if (error instanceof DestinationError) {
    return { type: error.kind, message: error.message, cause: withoutValues(error.cause) };
  }
  const meaning = meanings.find(([pattern]) => pattern.test(text));
  if (meaning === undefined) return { type: 'other', message: withoutValues(error) };
  const [, type, message] = meaning;
  return { type, message, cause: withoutValues(error) };
}

/** Returns the error that was sent. */
export function receivedError(sent: SentError): Error {
  if (sent.type === 'fenced') return new FencedError(sent.token);
  if (sent.type === 'other') return new Error(`DuckDB failed: ${sent.message}`);
  const { type, message, cause } = sent;
  return new DestinationError(type, message, cause === '' ? {} : { cause: new Error(cause) });
}

/** Returns the error of a process that uses more memory than it may. */
export function outOfMemory(meanings: ErrorMeanings): Error {
  return receivedError(sentError(new Error('Out of Memory Error'), meanings));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lines of a message that say what is wrong with lines of CSV, without their values. */
const REASON =
  /^(Error when converting column|Maximum line size|Value with unterminated|Expected Number of Columns|Invalid unicode|The CSV)/i;

/** Returns the first line of a message of DuckDB and its reason, without text of rows. */
function withoutValues(error: unknown): string {
  if (error === undefined) return '';
  const [first = '', ...others] = textOf(error).split('\n');
  const reason = others.find((line) => REASON.test(line));
  return [first, ...(reason === undefined ? [] : [reason])]
    .map((line) =>
      line.replace(/(?:\binput:|\b(?:string|value) ["']|\. Could not convert).*$/i, ''),
    )
    .join(': ')
    .slice(0, 300);
}

/** Times that a file is opened that another process, such as a sync, has open; and the pause between. */
const OPEN_ATTEMPTS = 20;
const OPEN_PAUSE_MS = 250;

/** Opens a file, and again for up to 5 seconds while another process has it open. */
export async function onceClosed<T>(open: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS || !isOpenElsewhere(error)) throw error;
    }
    await delay(OPEN_PAUSE_MS);
  }
}

const isOpenElsewhere = (error: unknown): boolean =>
  error instanceof DestinationError && error.message.startsWith('The file is open in another');
