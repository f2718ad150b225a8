import type { SyncState, TargetColumn } from '../destination';

/** Statistics of one column of a file. */
export interface ColumnStats {
  /** Number of values, `NULL` included. */
  readonly values: number;
  readonly nulls: number;
  /** Size of the column in the file, in bytes. */
  readonly bytes: number;
  /** Lowest and highest value as text; `null` if there is none. That of a text may be cut. */
  readonly min: string | null;
  readonly max: string | null;
}

/** A Parquet file that was written to the work directory. */
export interface WrittenFile {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lowest and highest `_id`. If there are no rows, both are 0. */
  readonly fromId: number;
  readonly toId: number;
  /** By the field id of the column, for each column of the file. */
  readonly stats: ReadonlyMap<number, ColumnStats>;
}

/** An immutable Parquet file of a table. It has all rows of its range of ids, in order. */
export interface DataFile {
  /** Name or address, which the catalog has chosen. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly fromId: number;
  readonly toId: number;
  /** Only if this worker has written the file. */
  readonly stats?: ReadonlyMap<number, ColumnStats>;
  /**
   * Field ids of its columns, if readers find columns by them. Then a file can lack columns of the
   * table, whose values are missing, and have others. A file without field ids has those of the table.
   */
  readonly fieldIds?: readonly number[];
}

/**
 * Files with all rows of a table. Their ranges of ids are disjoint and in order. There is always at
 * least one, so that readers find the columns of an empty table.
 */
export interface FileSet {
  readonly columns: readonly TargetColumn[];
  readonly files: readonly DataFile[];
}

/** What a table is after a step of a sync. */
export interface TableContent {
  /** Token of the last claim. */
  readonly token: number;
  readonly state: SyncState | null;
  /** What readers see; `null` if no load was ever finished. */
  readonly table: FileSet | null;
  /** A load in progress, which readers do not see. It can have no files yet. */
  readonly load: FileSet | null;
}

/** A table as a catalog has stored it. */
export interface TableVersion extends TableContent {
  /** Identifies the version in the catalog, such as by an ETag. */
  readonly version: string;
  /** What readers saw before somebody else changed the table, if the files are still there. */
  readonly former?: FileSet | null;
}

/** Thrown if a table is no longer the version on which a commit is based. Nothing was changed. */
export class VersionConflictError extends Error {
  constructor() {
    super('The table was changed by another worker.');
  }
}

/**
 * Where the files of one table are, and the version that lists them. A version is replaced atomically,
 * and only if it is still the expected one: with this, neither a kill nor two workers at a time can
 * lose or double a row. Everything that was stored is checked when it is read. Failures are
 * `DestinationError`s.
 */
export interface FileCatalog {
  /** Returns the current version; `null` if this sync has none. */
  read(): Promise<TableVersion | null>;
  /**
   * Stores a version. If the response is lost, reads the current version to find out whether it was stored.
   * @param base The version that it replaces; `null` if there must be none.
   * @throws VersionConflictError
   */
  commit(base: TableVersion | null, next: TableContent): Promise<TableVersion>;
  /** Removes the version and all files. @throws VersionConflictError */
  remove(base: TableVersion): Promise<void>;
  /** Returns the message of an error if something has the table's name that this sync has not created. */
  findForeign(): Promise<string | null>;
  /** Returns whether all files of a version exist. */
  hasFiles(files: readonly DataFile[]): Promise<boolean>;
  /** Returns the field ids for the Parquet files, by name, those of `_id` and the like included. */
  fieldIds(columns: readonly TargetColumn[]): ReadonlyMap<string, number>;
  /** Stores a file under a new name. The local one can be moved. Readers do not see it yet. */
  upload(file: WrittenFile): Promise<DataFile>;
  /**
   * Makes the content of a file available in the work directory.
   * @throws DestinationError `inconsistent` if the file is missing, or not as large as it was.
   */
  download(file: DataFile, path: string): Promise<void>;
  /** Deletes files that neither a version nor a reader needs, after a commit. Never throws. */
  collect(version: TableVersion): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}
