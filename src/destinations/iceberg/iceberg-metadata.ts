import { z } from 'zod';
import { notIceberg } from './iceberg-error';

/** An id of 64 bits as decimal digits. */
export type SnapshotId = string;

const MAX_LOCATION_LENGTH = 2_000;
const MAX_SNAPSHOTS = 100_000;
const MAX_SCHEMAS = 10_000;
const MAX_FIELDS = 10_000;
/** A property has a sync state at most. */
const MAX_PROPERTY_LENGTH = 6 * 1024 * 1024;

const count = z.number().int().nonnegative();
const long = z
  .union([z.number().int(), z.string().regex(/^-?\d{1,19}$/)])
  .transform((value): SnapshotId => String(value));
const location = z.string().min(1).max(MAX_LOCATION_LENGTH);
const properties = z.record(z.string(), z.string().max(MAX_PROPERTY_LENGTH)).default({});

const field = z.object({
  id: count,
  name: z.string(),
  required: z.boolean(),
  // A nested type is an object, which a sync never creates.
  type: z.unknown(),
});

const schema = z.object({
  'schema-id': count.default(0),
  fields: z.array(field).max(MAX_FIELDS),
});

const snapshot = z.object({
  'snapshot-id': long,
  'parent-snapshot-id': long.nullish(),
  'timestamp-ms': count,
  'manifest-list': location.optional(),
  summary: z.record(z.string(), z.string()).default({}),
});

const metadata = z.object({
  'format-version': z.number().int(),
  'table-uuid': z.string().min(1).max(100),
  location,
  'last-sequence-number': count.default(0),
  'last-updated-ms': count,
  'last-column-id': count,
  'current-schema-id': count.default(0),
  schemas: z.array(schema).max(MAX_SCHEMAS),
  'partition-specs': z
    .array(z.object({ 'spec-id': count, fields: z.array(z.unknown()) }))
    .max(1_000),
  'default-spec-id': count.default(0),
  properties,
  snapshots: z.array(snapshot).max(MAX_SNAPSHOTS).default([]),
  refs: z.record(z.string(), z.object({ 'snapshot-id': long, type: z.string() })).default({}),
});

const loaded = z.object({ metadata, config: properties.nullish() });

export type TableMetadata = z.infer<typeof metadata>;
export type TableSchema = z.infer<typeof schema>;
export type Snapshot = z.infer<typeof snapshot>;

/** A table as a catalog returns it. */
export interface LoadedTable {
  readonly metadata: TableMetadata;
  /** Configuration of the storage, such as temporary credentials. */
  readonly config: Readonly<Record<string, string>>;
}

const FORMAT_VERSION = 2;

/**
 * Reads the response of a catalog. Nothing of it is used before it is checked.
 * @throws DestinationError
 */
export function readTable(response: unknown): LoadedTable {
  const parsed = loaded.safeParse(response);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? '';
    throw notIceberg(`table metadata (${path})`);
  }
  const { metadata: table, config } = parsed.data;
  return { metadata: table, config: config ?? {} };
}

/** @throws DestinationError if a table has another version of the format than those of a sync. */
export function requireFormat(table: TableMetadata): void {
  const version = table['format-version'];
  if (version !== FORMAT_VERSION) throw notIceberg(`format version ${String(version)}`);
}

/** Returns a snapshot by its id. */
export function findSnapshot(
  { snapshots }: TableMetadata,
  id: SnapshotId | null,
): Snapshot | undefined {
  return id === null ? undefined : snapshots.find((one) => one['snapshot-id'] === id);
}

/** Returns the snapshot that a branch or tag points to. */
export function refOf({ refs }: TableMetadata, name: string): SnapshotId | null {
  return refs[name]?.['snapshot-id'] ?? null;
}
