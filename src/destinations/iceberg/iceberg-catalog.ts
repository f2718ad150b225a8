import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DestinationError, type TargetColumn, type TargetTable } from '../destination';
import {
  type DataFile,
  type FileCatalog,
  type TableContent,
  type TableVersion,
  VersionConflictError,
  type WrittenFile,
} from '../files/file-catalog';
import { FieldIds, ownFields } from './iceberg-columns';
import { CatalogResponseError } from './iceberg-error';
import { IcebergCommit } from './iceberg-commit';
import { dataFolder } from './file-list';
import { type LoadedTable, refOf } from './iceberg-metadata';
import { IcebergVersion } from './iceberg-version';
import type { RestCatalog } from './rest-catalog';
import { initialProperties, isOwn, readProperties, SYNC_BRANCH } from './sync-properties';
import type { TableObjects } from './table-storage';

/** Delays before a commit whose outcome is not known is looked up, and made again if it was not. */
const RETRY_MS = [0, 500, 2_000, 8_000];

/** Opens the storage of a table, with the configuration that the catalog gives for it. */
export type StorageOpener = (table: LoadedTable) => TableObjects;

/**
 * One table of an Apache Iceberg REST catalog. Its state, its fencing token and its files change in
 * one commit. Until its first load is finished, the table has another name.
 */
export class IcebergCatalog implements FileCatalog {
  private readonly loadName: string;
  private storage: TableObjects | undefined;
  private location: string | undefined;
  private ids = new FieldIds([], 0);
  private last: IcebergVersion | undefined;
  /** Uploaded files that no version has, nor a commit that was sent. `close` deletes them. */
  private readonly unused = new Set<string>();
  private isClosed = false;
  /** Objects that the last commit has made useless. */
  private garbage: (() => Promise<readonly string[]>) | undefined;

  constructor(
    private readonly catalog: RestCatalog,
    private readonly table: TargetTable,
    private readonly openStorage: StorageOpener,
  ) {
    this.loadName = `_datagrid_load_${table.id.replaceAll('-', '')}`;
  }

  async read(): Promise<TableVersion | null> {
    const target = await this.loadOwn(this.table.name);
    if (target) return this.versionOf(this.table.name, target);
    const load = await this.loadOwn(this.loadName);
    if (!load || !readProperties(load.metadata)) return null;
    const version = await this.versionOf(this.loadName, load);
    // A worker was killed before the table had its name.
    return version.table === null ? version : this.publish(version);
  }

  async commit(base: TableVersion | null, next: TableContent): Promise<TableVersion> {
    const from = base instanceof IcebergVersion ? base : await this.create();
    const commit = await IcebergCommit.prepare(from, next, this.table, this.ids);
    // A table must not list files that `close` deletes.
    if (this.isClosed) throw new DestinationError('unavailable', 'The sync was stopped.');
    for (const { name } of [...(next.table?.files ?? []), ...(next.load?.files ?? [])]) {
      this.unused.delete(name);
    }
    const loaded = await this.send(from, commit);
    const version = commit.versionOf(loaded.metadata);
    this.garbage = () => commit.listGarbage();
    this.use(version);
    return version.table !== null && version.name === this.loadName
      ? this.publish(version)
      : version;
  }

  /** Gives the table its name, so that readers find it. */
  async publish(version: TableVersion): Promise<TableVersion> {
    const { name } = this.table;
    try {
      await this.catalog.renameTable(this.loadName, name);
    } catch (error) {
      // Another worker may have done it.
      const target = await this.loadOwn(name);
      if (target) return this.versionOf(name, target);
      const isTaken = error instanceof CatalogResponseError && error.status === 409;
      throw isTaken ? new DestinationError('configuration', this.foreignMessage) : error;
    }
    return version instanceof IcebergVersion ? version.renamed(name) : version;
  }

  async remove(base: TableVersion): Promise<void> {
    if (!(base instanceof IcebergVersion)) return;
    await this.catalog.dropTable(base.name);
    await base.storage.delete(base.addresses);
  }

  async findForeign(): Promise<string | null> {
    const { name } = this.table;
    const isTaken = await this.catalog.hasName(name);
    if (!isTaken) return null;
    const found = await this.catalog.loadTable(name).catch(() => null);
    return found && isOwn(found.metadata, this.table) ? null : this.foreignMessage;
  }

  async hasFiles(files: readonly DataFile[]): Promise<boolean> {
    const { storage, location } = this.place;
    return storage.hasFiles(files, dataFolder(location));
  }

  fieldIds(columns: readonly TargetColumn[]): ReadonlyMap<string, number> {
    const own = ownFields(this.table).map(({ name, id }): [string, number] => [name, id]);
    return new Map([
      ...own,
      ...columns.map((one): [string, number] => [one.name, this.ids.of(one)]),
    ]);
  }

  async upload(file: WrittenFile): Promise<DataFile> {
    const { storage, location } = this.place;
    const name = `${dataFolder(location)}${randomUUID()}.parquet`;
    this.unused.add(name);
    await storage.upload(name, file.path);
    const { rows, bytes, fromId, toId, stats } = file;
    return { name, rows, bytes, fromId, toId, stats, fieldIds: [...stats.keys()] };
  }

  async download(file: DataFile, path: string): Promise<void> {
    await this.place.storage.download(file, path);
  }

  async collect(): Promise<void> {
    const { garbage } = this;
    this.garbage = undefined;
    if (!garbage) return;
    // What stays is of no use, and harms nobody.
    const addresses = await garbage().catch(() => []);
    await this.place.storage.delete(addresses);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.storage?.delete([...this.unused]);
    await this.storage?.close();
    await this.catalog.close();
  }

  private get foreignMessage(): string {
    return `The namespace has a table or view "${this.table.name}" that this connection did not create. Rename or drop it, or choose another name for the table.`;
  }

  private get place(): { readonly storage: TableObjects; readonly location: string } {
    const { storage, location } = this;
    if (!storage || location === undefined) throw new Error('The table was not read.');
    return { storage, location };
  }

  private async loadOwn(name: string): Promise<LoadedTable | null> {
    const loaded = await this.catalog.loadTable(name);
    return loaded && isOwn(loaded.metadata, this.table) ? loaded : null;
  }

  private async versionOf(name: string, loaded: LoadedTable): Promise<IcebergVersion> {
    const { table, last } = this;
    const version = await IcebergVersion.read(name, loaded, this.storageOf(loaded), table, last);
    this.use(version);
    return version;
  }

  private use(version: IcebergVersion): void {
    this.last = version;
    this.location = version.location;
    this.ids = new FieldIds(version.columns, version.lastFieldId);
  }

  private storageOf(loaded: LoadedTable): TableObjects {
    this.storage ??= this.openStorage(loaded);
    return this.storage;
  }

  /** Creates the table with the name that it has until its first load is finished. */
  private async create(): Promise<IcebergVersion> {
    await this.catalog.createNamespace();
    const fields = ownFields(this.table);
    const schema = { type: 'struct', 'schema-id': 0, fields };
    const properties = initialProperties(this.table);
    const created =
      (await this.catalog.createTable(this.loadName, schema, properties)) ??
      (await this.loadOwn(this.loadName));
    if (!created || readProperties(created.metadata)) throw new VersionConflictError();
    return this.versionOf(this.loadName, created);
  }

  /**
   * Sends a commit. If its outcome is not known, reads the table to find out, and sends it again if
   * it was not made. It cannot be made twice, because it requires the snapshots before it.
   * @throws VersionConflictError
   */
  private async send(from: IcebergVersion, commit: IcebergCommit): Promise<LoadedTable> {
    let failure: unknown;
    for (const delayMs of RETRY_MS) {
      if (failure !== undefined) {
        await wait(delayMs);
        if (this.isClosed) break;
        const loaded = await this.catalog.loadTable(from.name).catch(() => undefined);
        if (loaded === undefined) continue;
        if (loaded === null || !isOwn(loaded.metadata, this.table))
          throw new VersionConflictError();
        if (refOf(loaded.metadata, SYNC_BRANCH) === commit.version) return loaded;
        if (!from.isStill(loaded.metadata)) throw new VersionConflictError();
      }
      try {
        return await this.catalog.commitTable(from.name, commit.requirements, commit.updates);
      } catch (error) {
        if (!mayBeMade(error) || this.isClosed) throw error;
        failure = error;
      }
    }
    throw failure;
  }
}

/** Whether a commit that failed may have been made, or may be made if it is sent again. */
function mayBeMade(error: unknown): boolean {
  if (error instanceof CatalogResponseError) {
    return error.isUnclear || error.status === 404 || error.status === 409 || error.status === 429;
  }
  return error instanceof DestinationError && error.kind === 'unavailable';
}
