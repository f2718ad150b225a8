import { DestinationError, type SyncState, type TargetTable } from '../destination';
import type { FileSet, TableVersion } from '../files/file-catalog';
import { FileList, readDataFile } from './file-list';
import { currentSchema, type FieldColumn, fieldsOf } from './iceberg-columns';
import {
  findSnapshot,
  type LoadedTable,
  refOf,
  requireFormat,
  type SnapshotId,
  type TableMetadata,
} from './iceberg-metadata';
import { readProperties, SYNC_BRANCH, type SyncProperties } from './sync-properties';
import type { TableObjects } from './table-storage';

const MAIN_BRANCH = 'main';
const NOTHING: SyncProperties = {
  token: 0,
  state: null,
  columns: null,
  loadColumns: null,
  snapshotId: null,
};

/** What a version has, beside what the catalog says. */
export interface VersionFiles {
  readonly properties: SyncProperties;
  /** Files that readers see, if this sync has written them. */
  readonly main: FileList | null;
  /** Files of the last snapshot of this sync, if readers see others, and the mode needs them. */
  readonly former: FileList | null;
  /** Files of the load in progress. */
  readonly load: FileList | null;
}

/** A version of a table, as the catalog has stored it. */
export class IcebergVersion implements TableVersion {
  readonly token: number;
  readonly state: SyncState | null;
  readonly table: FileSet | null;
  readonly load: FileSet | null;
  readonly former: FileSet | null;

  constructor(
    readonly name: string,
    readonly metadata: TableMetadata,
    readonly storage: TableObjects,
    readonly stored: VersionFiles,
  ) {
    const { properties, main, load, former } = stored;
    this.token = properties.token;
    this.state = properties.state;
    this.table = main && fileSet(main, properties.columns);
    this.load = load && fileSet(load, properties.loadColumns);
    this.former = former && fileSet(former, properties.columns);
  }

  /**
   * Reads a version with its files. If they are not those that the sync has written, it has none.
   * @param last A version that was read before. What both list is not read again.
   */
  static async read(
    name: string,
    { metadata }: LoadedTable,
    storage: TableObjects,
    table: TargetTable,
    last: IcebergVersion | undefined,
  ): Promise<IcebergVersion> {
    requireFormat(metadata);
    const properties = readProperties(metadata) ?? NOTHING;
    const { columns, loadColumns, snapshotId } = properties;
    const place = { storage, location: locationOf(metadata) };
    const read = async (id: SnapshotId | null): Promise<FileList | null> => {
      const address = findSnapshot(metadata, id)?.['manifest-list'];
      if (address === undefined) return null;
      const { main = null, load = null, former = null } = last?.stored ?? {};
      const known = [main, load, former].find((one) => one?.address === address);
      return known ?? unlessInconsistent(FileList.read(place, address));
    };
    const isIntact =
      columns !== null &&
      snapshotId === refOf(metadata, MAIN_BRANCH) &&
      hasColumns(metadata, table, columns);
    const main = isIntact ? await read(snapshotId) : null;
    const load = loadColumns && (await read(refOf(metadata, SYNC_BRANCH)));
    const hasFormer = columns !== null && main === null && table.deletions !== 'delete';
    const former = hasFormer ? await read(snapshotId) : null;
    return new IcebergVersion(name, metadata, storage, { properties, main, load, former });
  }

  get version(): string {
    return this.syncId ?? '';
  }

  get location(): string {
    return locationOf(this.metadata);
  }

  /** Snapshot of the last commit of a sync. */
  get syncId(): SnapshotId | null {
    return refOf(this.metadata, SYNC_BRANCH);
  }

  /** Snapshot that readers see. */
  get mainId(): SnapshotId | null {
    return refOf(this.metadata, MAIN_BRANCH);
  }

  /** Columns of the table and of a load. */
  get columns(): readonly FieldColumn[] {
    const { columns, loadColumns } = this.stored.properties;
    return [...(columns ?? []), ...(loadColumns ?? [])];
  }

  /** Highest id that a column has ever had. */
  get lastFieldId(): number {
    const used = this.columns.map(({ fieldId }) => fieldId);
    return used.reduce((last, id) => Math.max(last, id), this.metadata['last-column-id']);
  }

  /** Addresses of all objects that this version lists. */
  get addresses(): readonly string[] {
    const lists = [this.stored.main, this.stored.load].filter((list) => list !== null);
    return lists.flatMap(({ address, manifestAddresses, files }) => [
      ...(address === null ? [] : [address]),
      ...manifestAddresses,
      ...files.map((file) => file.file_path),
    ]);
  }

  /** Whether a table still has the snapshots of this version. */
  isStill(metadata: TableMetadata): boolean {
    return (
      metadata['table-uuid'] === this.metadata['table-uuid'] &&
      refOf(metadata, SYNC_BRANCH) === this.syncId &&
      refOf(metadata, MAIN_BRANCH) === this.mainId
    );
  }

  renamed(name: string): IcebergVersion {
    return new IcebergVersion(name, this.metadata, this.storage, this.stored);
  }
}

function fileSet(list: FileList, columns: readonly FieldColumn[] | null): FileSet {
  return { columns: columns ?? [], files: list.files.map(readDataFile) };
}

/** Whether readers see these columns. The owner can have added others. */
function hasColumns(
  metadata: TableMetadata,
  table: TargetTable,
  columns: readonly FieldColumn[],
): boolean {
  const fields = new Map(currentSchema(metadata)?.fields.map((field) => [field.id, field]));
  return fieldsOf(table, columns).every(({ id, name, type }) => {
    const field = fields.get(id);
    return field?.name === name && field.type === type;
  });
}

async function unlessInconsistent(list: Promise<FileList>): Promise<FileList | null> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof DestinationError && error.kind === 'inconsistent') return null;
    throw error;
  }
}

const locationOf = ({ location }: TableMetadata): string => location.replace(/\/+$/, '');
