import type { AvroSchema } from './avro-check';
import { AvroFileType } from './iceberg-avro';

/** A field of a record. Avro keeps the other members of a schema. */
interface AvroField {
  readonly name: string;
  readonly type: AvroSchema;
  readonly [member: string]: unknown;
}

const field = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type,
  'field-id': id,
});
const optional = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
});
/** A map with integers as keys, which Avro does not have. */
const byColumn = (key: number, value: number, type: AvroSchema): AvroSchema => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name: `k${String(key)}_v${String(value)}`,
    fields: [field(key, 'key', 'int'), field(value, 'value', type)],
  },
});

/** A value for each column that has one, by its field id. */
export type ByColumn<V> = readonly { readonly key: number; readonly value: V }[];

/** A data file as a manifest describes it. The names are those of the specification. */
export interface ManifestDataFile {
  readonly content: number;
  readonly file_path: string;
  readonly file_format: string;
  readonly partition: object;
  readonly record_count: number;
  readonly file_size_in_bytes: number;
  readonly column_sizes: ByColumn<number> | null;
  readonly value_counts: ByColumn<number> | null;
  readonly null_value_counts: ByColumn<number> | null;
  readonly lower_bounds: ByColumn<Buffer> | null;
  readonly upper_bounds: ByColumn<Buffer> | null;
  readonly sort_order_id: number | null;
}

/** Status of a file in a manifest. */
export const EXISTING = 0;
export const ADDED = 1;
export const DELETED = 2;

/** A file in a manifest. */
export interface ManifestEntry {
  readonly status: number;
  /** Snapshot that added the file, or deleted it. */
  readonly snapshot_id: number;
  /** `null` for an added file: that of the manifest. */
  readonly sequence_number: number | null;
  readonly file_sequence_number: number | null;
  readonly data_file: ManifestDataFile;
}

/** Files of a table. Iceberg calls this a manifest. */
export const MANIFEST = new AvroFileType<ManifestEntry>({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    field(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        field(134, 'content', 'int'),
        field(100, 'file_path', 'string'),
        field(101, 'file_format', 'string'),
        field(102, 'partition', { type: 'record', name: 'r102', fields: [] }),
        field(103, 'record_count', 'long'),
        field(104, 'file_size_in_bytes', 'long'),
        optional(108, 'column_sizes', byColumn(117, 118, 'long')),
        optional(109, 'value_counts', byColumn(119, 120, 'long')),
        optional(110, 'null_value_counts', byColumn(121, 122, 'long')),
        optional(125, 'lower_bounds', byColumn(126, 127, 'bytes')),
        optional(128, 'upper_bounds', byColumn(129, 130, 'bytes')),
        optional(140, 'sort_order_id', 'int'),
      ],
    }),
  ],
});

/** A manifest as a list of manifests describes it. The names are those of the specification. */
export interface ManifestFile {
  readonly manifest_path: string;
  readonly manifest_length: number;
  readonly partition_spec_id: number;
  readonly content: number;
  readonly sequence_number: number;
  readonly min_sequence_number: number;
  readonly added_snapshot_id: number;
  readonly added_files_count: number;
  readonly existing_files_count: number;
  readonly deleted_files_count: number;
  readonly added_rows_count: number;
  readonly existing_rows_count: number;
  readonly deleted_rows_count: number;
}

/** The manifests of a snapshot. */
export const MANIFEST_LIST = new AvroFileType<ManifestFile>({
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(516, 'min_sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(506, 'deleted_files_count', 'int'),
    field(512, 'added_rows_count', 'long'),
    field(513, 'existing_rows_count', 'long'),
    field(514, 'deleted_rows_count', 'long'),
  ],
});

const LONG_BYTES = 8;

/** Prints a long as a bound of a column. */
export function printBound(value: number): Buffer {
  const bound = Buffer.alloc(LONG_BYTES);
  bound.writeBigInt64LE(BigInt(value));
  return bound;
}

/** Reads the bound of a column of longs. @returns `null` if there is none that is valid. */
export function readBound(bounds: ByColumn<Buffer> | null, fieldId: number): number | null {
  const bound = bounds?.find(({ key }) => key === fieldId)?.value;
  if (bound?.length !== LONG_BYTES) return null;
  const value = Number(bound.readBigInt64LE());
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
