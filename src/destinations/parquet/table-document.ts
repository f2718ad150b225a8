import { randomUUID } from 'node:crypto';
import {
  DestinationError,
  isTargetType,
  type TargetColumn,
  type TargetTable,
} from '../destination';
import { parseBounded } from '../bounded-json';
import type { DataFile, FileSet, TableContent } from '../files/file-catalog';
import { MAX_FILE_BYTES } from '../files/segments';

/** Name of the document that lists the files of a table, beside them. */
export const MANIFEST_NAME = '_manifest.json';
/** More than any document has. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
/** Time for which files that were replaced are kept for readers that have begun. */
export const GRACE_MS = 15 * 60_000;
/** Age of a file that no document lists, and that no worker can still list. */
export const ABANDONED_MS = 6 * 3_600_000;

const FORMAT = 1;
const MAX_FILES = 50_000;
const MAX_REPLACED = 200_000;
const MAX_COLUMNS = 5_000;
const MAX_NAME_LENGTH = 1_000;
const MAX_STATE_LENGTH = 4 * 1024 * 1024;
/** Form of the name of a data file. It becomes a part of a path. */
const FILE_NAME = /^[0-9a-f-]{36}\.parquet$/;

/** A file that was replaced, and when. */
export interface ReplacedFile {
  readonly name: string;
  readonly atMs: number;
}

/** What a document says about a table. */
export interface TableDocument extends TableContent {
  /** Unique for each commit, to recognize one whose answer was lost. */
  readonly commit: string;
  /** Id of the table, by which a sync recognizes its own. */
  readonly id: string;
  /** Files that readers may still use. */
  readonly replaced: readonly ReplacedFile[];
  /** Names of files that nobody needs anymore. They are deleted once the document is stored. */
  readonly expired: readonly string[];
}

/** Returns a name for a new data file. */
export const newFileName = (): string => `${randomUUID()}.parquet`;

/** Returns whether a name can be one of a data file. */
export const isFileName = (name: string): boolean => FILE_NAME.test(name);

/** Returns the part of a path that has the name of a table. Other characters become `~` and their bytes. */
export function pathNameOf({ name }: Pick<TargetTable, 'name'>): string {
  return [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(character) ? character : `~${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** Returns the document that replaces another one, with the files that are no longer listed. */
export function nextDocument(
  id: string,
  base: TableDocument | null,
  { token, state, table, load }: TableContent,
): TableDocument {
  const listed = new Set([...(table?.files ?? []), ...(load?.files ?? [])].map(({ name }) => name));
  const atMs = Date.now();
  const before = base?.replaced ?? [];
  const isGone = ({ name }: DataFile): boolean => !listed.has(name);
  const isKept = (file: ReplacedFile): boolean => atMs - file.atMs < GRACE_MS;
  const gone = (base?.table?.files ?? []).filter(isGone);
  const replaced = [...before.filter(isKept), ...gone.map(({ name }) => ({ name, atMs }))];
  // No reader has seen the files of a load.
  const expired = [
    ...(base?.expired ?? []),
    ...before.filter((file) => !isKept(file)),
    ...(base?.load?.files ?? []).filter(isGone),
  ].map((file) => (typeof file === 'string' ? file : file.name));
  return { commit: randomUUID(), id, token, state, table, load, replaced, expired };
}

/** Returns the names of all files that a document needs. */
export function neededFiles({ table, load, replaced }: TableDocument): ReadonlySet<string> {
  const files = [...(table?.files ?? []), ...(load?.files ?? []), ...replaced];
  return new Set(files.map(({ name }) => name));
}

/** Prints a document. `files` and `rows` are for readers, and `sync` is for the service. */
export function printDocument(
  { name }: Pick<TargetTable, 'name'>,
  { commit, id, token, state, table, load, replaced }: TableDocument,
): string {
  const files = table?.files ?? [];
  const printed = {
    format: FORMAT,
    table: name,
    committedAt: new Date().toISOString(),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files: files.map((file) => file.name),
    sync: { commit, id, token, state, table: printSet(table), load: printSet(load), replaced },
  };
  return JSON.stringify(printed);
}

function printSet(set: FileSet | null): FileSet | null {
  if (set === null) return null;
  // Statistics are left out: they are in the files.
  const files = set.files.map(({ name, rows, bytes, fromId, toId }) => ({
    name,
    rows,
    bytes,
    fromId,
    toId,
  }));
  return { columns: set.columns, files };
}

/**
 * Reads a document. Others can write the storage, so nothing of it is used before it is checked.
 * @param name Name of the table.
 * @throws DestinationError `configuration` if it is not one of this service.
 */
export function readDocument(name: string, text: string): TableDocument {
  const sync = asObject(asObject(parseBounded(text))?.['sync']);
  const [commit, id, state] = [sync?.['commit'], sync?.['id'], sync?.['state']];
  const token = sync?.['token'];
  const [table, load] = [readSet(sync?.['table']), readSet(sync?.['load'])];
  const replaced = readArray(sync?.['replaced'], MAX_REPLACED, readReplaced);
  const isState = state === null || (typeof state === 'string' && state.length <= MAX_STATE_LENGTH);
  if (
    typeof commit !== 'string' ||
    typeof id !== 'string' ||
    typeof token !== 'number' ||
    table === undefined ||
    load === undefined ||
    !isState ||
    !replaced
  ) {
    throw invalidDocument(name);
  }
  return { commit, id, token, state, table, load, replaced, expired: [] };
}

/** Returns the error of a document that is not valid. */
export function invalidDocument(name: string): DestinationError {
  const message = `The file ${MANIFEST_NAME} of table "${name}" is not valid. Delete or move the directory of the table, which is then loaded again.`;
  return new DestinationError('configuration', message);
}

type Given = Readonly<Record<string, unknown>>;

/** @returns `undefined` if it is not valid. */
function readSet(value: unknown): FileSet | null | undefined {
  if (value === null) return null;
  const given = asObject(value);
  const columns = readArray(given?.['columns'], MAX_COLUMNS, readColumn);
  const files = readArray(given?.['files'], MAX_FILES, readFile);
  if (!columns || !files) return undefined;
  const isInOrder = files.every(({ fromId, toId }, index) => {
    const before = files[index - 1];
    return fromId <= toId && (before === undefined || before.toId < fromId);
  });
  return isInOrder ? { columns, files } : undefined;
}

function readFile(value: unknown): DataFile | null {
  const { name, rows, bytes, fromId, toId } = asObject(value) ?? {};
  const numbers = [rows, bytes, fromId, toId];
  if (typeof name !== 'string' || !isFileName(name)) return null;
  const isCount = (each: unknown): each is number =>
    Number.isSafeInteger(each) && (each as number) >= 0;
  if (!numbers.every(isCount)) return null;
  const [rowCount = 0, byteCount = 0, from = 0, to = 0] = numbers;
  if (byteCount > MAX_FILE_BYTES) return null;
  return { name, rows: rowCount, bytes: byteCount, fromId: from, toId: to };
}

function readReplaced(value: unknown): ReplacedFile | null {
  const { name, atMs } = asObject(value) ?? {};
  if (typeof name !== 'string' || !isFileName(name) || typeof atMs !== 'number') return null;
  return { name, atMs };
}

function readColumn(value: unknown): TargetColumn | null {
  const { id, name, type } = asObject(value) ?? {};
  const isName = typeof name === 'string' && name.length > 0 && name.length <= MAX_NAME_LENGTH;
  if (!Number.isSafeInteger(id) || !isName || name.includes('\0') || !isTargetType(type))
    return null;
  return { id: id as number, name, type };
}

function readArray<T>(
  value: unknown,
  maxLength: number,
  read: (element: unknown) => T | null,
): T[] | null {
  if (!Array.isArray(value) || value.length > maxLength) return null;
  const elements = value.map(read);
  return elements.every((element) => element !== null) ? elements : null;
}

function asObject(value: unknown): Given | null {
  return typeof value === 'object' && value !== null ? (value as Given) : null;
}
