import { randomInt } from 'node:crypto';
import type { TargetTable } from '../destination';
import type { DataFile, FileSet, TableContent } from '../files/file-catalog';
import { FileList, type NewSnapshot } from './file-list';
import {
  currentSchema,
  type FieldColumn,
  type FieldIds,
  fieldsOf,
  hasFields,
  ID_FIELD,
  ownFields,
  REVISION_FIELD,
} from './iceberg-columns';
import { listExpired, removableSnapshots } from './iceberg-expiry';
import { type ByColumn, type ManifestDataFile, printBound } from './iceberg-manifest';
import { findSnapshot, type SnapshotId, type TableMetadata } from './iceberg-metadata';
import { IcebergVersion, type VersionFiles } from './iceberg-version';
import { printId, type TableRequirement, type TableUpdate } from './rest-catalog';
import { printProperties, SYNC_BRANCH } from './sync-properties';

/** Ids are integers that a number holds, although Iceberg has 64 bits for them. */
const MIN_SNAPSHOT_ID = 2 ** 47;
const MAX_SNAPSHOT_ID = MIN_SNAPSHOT_ID + 2 ** 47;

const newSnapshotId = (): number => randomInt(MIN_SNAPSHOT_ID, MAX_SNAPSHOT_ID - 1);

/** A snapshot that a commit adds. */
interface AddedSnapshot {
  readonly snapshot: NewSnapshot;
  readonly list: FileList;
}

/**
 * One commit of a sync: files, columns, state and fencing token. Every commit moves the branch of the
 * sync to a new snapshot, and requires that it was still at the last one: so two commits with the same
 * base cannot both be made, not even if one changes the token only.
 */
export class IcebergCommit {
  private constructor(
    private readonly from: IcebergVersion,
    private readonly stored: VersionFiles,
    private readonly schema: SchemaChange,
    private readonly added: readonly AddedSnapshot[],
    /** Snapshots that readers do not need any more. */
    private readonly removed: readonly SnapshotId[],
  ) {}

  /** Writes the manifests of a commit. Nobody sees them before it is sent. */
  static async prepare(
    from: IcebergVersion,
    next: TableContent,
    table: TargetTable,
    ids: FieldIds,
  ): Promise<IcebergCommit> {
    const columns = withIds(next.table, ids);
    const loadColumns = withIds(next.load, ids);
    const schema = schemaChange(from.metadata, table, columns);
    const files = new DescribedFiles(from);
    const { storage, location, mainId } = from;
    const write = async (
      list: FileList | null,
      content: FileSet | null,
      snapshot: NewSnapshot,
    ): Promise<AddedSnapshot> => {
      const described = (content?.files ?? []).map((file) => files.describe(file));
      const before = list ?? FileList.EMPTY;
      return { snapshot, list: await before.write({ storage, location }, snapshot, described) };
    };
    const sequence = from.metadata['last-sequence-number'] + 1;
    const base = { specId: unpartitionedSpec(from.metadata), schema: schema.printed };
    const isChanged = next.table !== null && !hasSameFiles(from.table, next.table);
    const main = isChanged
      ? await write(from.stored.main, next.table, {
          ...base,
          id: newSnapshotId(),
          sequence,
          parentId: mainId,
          listsDeleted: true,
        })
      : null;
    const needsOwn = next.load !== null || main === null;
    const own = needsOwn
      ? await write(next.load && from.stored.load, next.load, {
          ...base,
          id: newSnapshotId(),
          sequence: main ? sequence + 1 : sequence,
          parentId: null,
          listsDeleted: false,
        })
      : null;
    const stored: VersionFiles = {
      properties: {
        token: next.token,
        state: next.state,
        // If readers see files of somebody else, those of the last snapshot still have these columns.
        columns: columns ?? from.stored.properties.columns,
        loadColumns,
        snapshotId: main ? String(main.snapshot.id) : from.stored.properties.snapshotId,
      },
      main: main?.list ?? from.stored.main,
      former: main ? null : from.stored.former,
      load: next.load && (own?.list ?? null),
    };
    const added = [main, own].filter((one) => one !== null);
    const removed = removableSnapshots(from, isChanged);
    return new IcebergCommit(from, stored, schema, added, removed);
  }

  /** Snapshot of the sync's branch after the commit. */
  get version(): SnapshotId {
    return String(this.added.at(-1)?.snapshot.id);
  }

  get requirements(): readonly TableRequirement[] {
    const { metadata, syncId, mainId } = this.from;
    const ref = (name: string, id: SnapshotId | null): TableRequirement => ({
      type: 'assert-ref-snapshot-id',
      ref: name,
      'snapshot-id': printId(id),
    });
    const fieldId = {
      type: 'assert-last-assigned-field-id',
      'last-assigned-field-id': metadata['last-column-id'],
    };
    return [
      { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
      ref(SYNC_BRANCH, syncId),
      ref('main', mainId),
      { type: 'assert-current-schema-id', 'current-schema-id': metadata['current-schema-id'] },
      ...(this.schema.updates.length > 0 ? [fieldId] : []),
    ];
  }

  get updates(): readonly TableUpdate[] {
    const { set, removed } = printProperties(this.stored.properties);
    const own = this.added.at(-1);
    return [
      ...this.schema.updates,
      ...this.added.map((one) => ({ action: 'add-snapshot', snapshot: this.print(one) })),
      ...this.added
        .filter(({ snapshot }) => snapshot.listsDeleted)
        .map(({ snapshot }) => branchAt('main', snapshot.id)),
      ...(own ? [branchAt(SYNC_BRANCH, own.snapshot.id)] : []),
      ...(this.removed.length > 0
        ? [{ action: 'remove-snapshots', 'snapshot-ids': this.removed.map(printId) }]
        : []),
      { action: 'set-properties', updates: set },
      ...(removed.length > 0 ? [{ action: 'remove-properties', removals: removed }] : []),
    ];
  }

  /** Returns the version after the commit. */
  versionOf(metadata: TableMetadata): IcebergVersion {
    return new IcebergVersion(this.from.name, metadata, this.from.storage, this.stored);
  }

  /** Returns the addresses of the objects that nobody needs after the commit. */
  async listGarbage(): Promise<readonly string[]> {
    const { load, main } = this.from.stored;
    const kept = [this.stored.main, this.stored.load, main].filter((list) => list !== null);
    const needed = new Set(kept.flatMap(addressesOf));
    const ofLoad = load ? addressesOf(load) : [];
    const superseded = this.removed.flatMap((id) => {
      const list = findSnapshot(this.from.metadata, id)?.['manifest-list'];
      return id === this.from.syncId && list !== undefined ? [list] : [];
    });
    const expired = await listExpired(this.from, this.removed);
    return [...ofLoad, ...superseded, ...expired].filter((address) => !needed.has(address));
  }

  private print({ snapshot, list }: AddedSnapshot): Readonly<Record<string, unknown>> {
    return {
      'snapshot-id': snapshot.id,
      ...(snapshot.parentId !== null && { 'parent-snapshot-id': printId(snapshot.parentId) }),
      'sequence-number': snapshot.sequence,
      'timestamp-ms': Math.max(Date.now(), this.from.metadata['last-updated-ms']),
      'manifest-list': list.address,
      summary: list.summary,
      'schema-id': snapshot.schema['schema-id'],
    };
  }
}

function addressesOf(list: FileList): string[] {
  const files = list.files.map((file) => file.file_path);
  return [...(list.address === null ? [] : [list.address]), ...list.manifestAddresses, ...files];
}

const branchAt = (name: string, id: number): TableUpdate => ({
  action: 'set-snapshot-ref',
  'ref-name': name,
  type: 'branch',
  'snapshot-id': id,
});

function withIds(content: FileSet | null, ids: FieldIds): readonly FieldColumn[] | null {
  if (!content) return null;
  return content.columns.map(({ id, name, type }) => {
    const fieldId = ids.of({ id, name, type });
    return { id, fieldId, name, type };
  });
}

function hasSameFiles(before: FileSet | null, after: FileSet): boolean {
  const names = new Set(before?.files.map(({ name }) => name));
  return (
    before?.files.length === after.files.length && after.files.every(({ name }) => names.has(name))
  );
}

interface PrintedSchema {
  readonly type: 'struct';
  readonly 'schema-id': number;
  readonly fields: readonly unknown[];
}

/** The schema after a commit, and what makes it that of the table. */
interface SchemaChange {
  readonly printed: PrintedSchema;
  readonly updates: readonly TableUpdate[];
}

function schemaChange(
  metadata: TableMetadata,
  table: TargetTable,
  columns: readonly FieldColumn[] | null,
): SchemaChange {
  const fields = columns ? fieldsOf(table, columns) : ownFields(table);
  const print = (id: number): PrintedSchema => ({ type: 'struct', 'schema-id': id, fields });
  const current = currentSchema(metadata);
  if (!columns || (current && hasFields(current, fields))) {
    return { printed: print(metadata['current-schema-id']), updates: [] };
  }
  const known = metadata.schemas.find((one) => hasFields(one, fields));
  // A catalog numbers schemas so.
  const next = Math.max(...metadata.schemas.map((one) => one['schema-id'])) + 1;
  const id = known?.['schema-id'] ?? next;
  const printed = print(id);
  const lastId = Math.max(metadata['last-column-id'], ...fields.map((field) => field.id));
  const add = { action: 'add-schema', schema: printed, 'last-column-id': lastId };
  return {
    printed,
    updates: [...(known ? [] : [add]), { action: 'set-current-schema', 'schema-id': id }],
  };
}

/** Tables of a sync are not partitioned. The owner can have changed this for others. */
function unpartitionedSpec(metadata: TableMetadata): number {
  const spec = metadata['partition-specs'].find(({ fields }) => fields.length === 0);
  return spec?.['spec-id'] ?? 0;
}

/** Describes files for manifests: those of the version before, and new ones. */
class DescribedFiles {
  private readonly known: ReadonlyMap<string, ManifestDataFile>;

  constructor({ stored: { main, load } }: IcebergVersion) {
    const files = [...(main?.files ?? []), ...(load?.files ?? [])];
    this.known = new Map(files.map((file) => [file.file_path, file]));
  }

  describe(file: DataFile): ManifestDataFile {
    return this.known.get(file.name) ?? this.describeNew(file);
  }

  private describeNew({ name, rows, bytes, fromId, toId, stats }: DataFile): ManifestDataFile {
    const counts = [...(stats ?? [])].map(([key, stat]) => ({ key, ...stat }));
    const by = (property: 'bytes' | 'values' | 'nulls'): ByColumn<number> =>
      counts.map(({ key, [property]: value }) => ({ key, value }));
    const revisions = stats?.get(REVISION_FIELD);
    const bounds = (id: number, revision: string | null | undefined): ByColumn<Buffer> => [
      { key: ID_FIELD, value: printBound(id) },
      ...(revision == null ? [] : [{ key: REVISION_FIELD, value: printBound(Number(revision)) }]),
    ];
    return {
      content: 0,
      file_path: name,
      file_format: 'PARQUET',
      partition: {},
      record_count: rows,
      file_size_in_bytes: bytes,
      column_sizes: by('bytes'),
      value_counts: by('values'),
      null_value_counts: by('nulls'),
      lower_bounds: rows === 0 ? null : bounds(fromId, revisions?.min),
      upper_bounds: rows === 0 ? null : bounds(toId, revisions?.max),
      sort_order_id: null,
    };
  }
}
