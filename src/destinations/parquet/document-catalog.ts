import { DestinationError, type TargetColumn, type TargetTable } from '../destination';
import {
  type DataFile,
  type FileCatalog,
  type TableContent,
  type TableVersion,
  VersionConflictError,
  type WrittenFile,
} from '../files/file-catalog';
import {
  ABANDONED_MS,
  isFileName,
  neededFiles,
  newFileName,
  nextDocument,
  printDocument,
  readDocument,
  type TableDocument,
} from './table-document';

/** A file in the directory of a table. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
}

/** A document, as it is stored. */
export interface StoredDocument {
  readonly version: string;
  readonly text: string;
}

/** The directory of one table, on a disk or in a bucket. Failures are `DestinationError`s. */
export interface TableStorage {
  /** The place of the table, for messages. */
  readonly place: string;
  /** Returns the document; `null` if there is none. */
  readDocument(): Promise<StoredDocument | null>;
  /**
   * Stores a document, if the stored one still has this version.
   * @param base `null` if there must be none.
   * @returns the version of the new one.
   * @throws VersionConflictError
   */
  replaceDocument(text: string, base: string | null): Promise<string>;
  /** Stores a file of the work directory, which stays there. */
  put(path: string, name: string): Promise<void>;
  /** @throws DestinationError `inconsistent` if there is no such file, or its size is another one. */
  get(file: DataFile, path: string): Promise<void>;
  /** Returns all files, in any order. */
  list(): Promise<StoredFile[]>;
  /** Deletes files. Those that do not exist are left out. */
  remove(names: readonly string[]): Promise<void>;
  /** Deletes everything, the document at last. */
  removeAll(): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}

/** Field ids of the columns that every table has. Those of a datagrid follow `FIRST_FIELD_ID`. */
const SYSTEM_FIELD_IDS = {
  _id: 1,
  _revision: 2,
  _synced_at: 3,
  _deleted_at: 4,
  _valid_to: 5,
} as const;
const FIRST_FIELD_ID = 100;

/** A catalog whose versions are documents beside the files, in a directory for each table. */
export class DocumentCatalog implements FileCatalog {
  private readonly documents = new WeakMap<TableVersion, TableDocument>();
  private isCollected = false;

  constructor(
    private readonly storage: TableStorage,
    private readonly table: TargetTable,
  ) {}

  async read(): Promise<TableVersion | null> {
    const stored = await this.storage.readDocument();
    if (stored === null) return null;
    const document = readDocument(this.table.name, stored.text);
    return document.id === this.table.id ? this.toVersion(stored.version, document) : null;
  }

  async commit(base: TableVersion | null, next: TableContent): Promise<TableVersion> {
    const { id, name } = this.table;
    const before = base === null ? null : this.documentOf(base);
    const document = nextDocument(id, before, next);
    try {
      const text = printDocument(this.table, document);
      const version = await this.storage.replaceDocument(text, base?.version ?? null);
      return this.toVersion(version, document);
    } catch (error) {
      // Perhaps only the answer was lost.
      const stored = await this.storage.readDocument().catch(() => null);
      if (stored === null || readDocument(name, stored.text).commit !== document.commit)
        throw error;
      return this.toVersion(stored.version, document);
    }
  }

  async remove(base: TableVersion): Promise<void> {
    await this.commit(base, { token: base.token, state: null, table: null, load: null });
    await this.storage.removeAll();
  }

  async findForeign(): Promise<string | null> {
    const stored = await this.storage.readDocument();
    const isOwn =
      stored === null
        ? (await this.storage.list()).length === 0
        : readDocument(this.table.name, stored.text).id === this.table.id;
    if (isOwn) return null;
    const { place } = this.storage;
    return `"${place}" has files that this sync has not created. Move them away, or choose another place.`;
  }

  async hasFiles(files: readonly DataFile[]): Promise<boolean> {
    const stored = new Map((await this.storage.list()).map((file) => [file.name, file.bytes]));
    return files.every(({ name, bytes }) => stored.get(name) === bytes);
  }

  fieldIds(columns: readonly TargetColumn[]): ReadonlyMap<string, number> {
    return new Map<string, number>([
      ...Object.entries(SYSTEM_FIELD_IDS),
      ...columns.map(({ name, id }): [string, number] => [name, FIRST_FIELD_ID + id]),
    ]);
  }

  async upload({ path, rows, bytes, fromId, toId, stats }: WrittenFile): Promise<DataFile> {
    const name = newFileName();
    await this.storage.put(path, name);
    return { name, rows, bytes, fromId, toId, stats };
  }

  download(file: DataFile, path: string): Promise<void> {
    return this.storage.get(file, path);
  }

  /**
   * Deletes files that were replaced before the grace period. Once in a run also those that no document
   * lists and that are old: only a worker that was killed or has lost its claim has written them.
   */
  async collect(version: TableVersion): Promise<void> {
    const document = this.documentOf(version);
    const needed = neededFiles(document);
    try {
      await this.storage.remove(document.expired.filter((name) => !needed.has(name)));
      if (this.isCollected) return;
      this.isCollected = true;
      const oldMs = Date.now() - ABANDONED_MS;
      const abandoned = (await this.storage.list()).filter(
        ({ name, modifiedAtMs }) => isFileName(name) && !needed.has(name) && modifiedAtMs < oldMs,
      );
      await this.storage.remove(abandoned.map(({ name }) => name));
    } catch (error) {
      // The next run tries again.
      if (!(error instanceof DestinationError)) throw error;
    }
  }

  close(): Promise<void> {
    return this.storage.close();
  }

  private toVersion(version: string, document: TableDocument): TableVersion {
    const { token, state, table, load } = document;
    const result: TableVersion = { version, token, state, table, load };
    this.documents.set(result, document);
    return result;
  }

  private documentOf(version: TableVersion): TableDocument {
    const document = this.documents.get(version);
    if (document === undefined) throw new VersionConflictError();
    return document;
  }
}
