import { z } from 'zod';
import { isTargetType, type TargetColumn, type TargetTable, type TargetType } from '../destination';
import { MODE_COLUMNS } from '../duckdb/duckdb-sql';
import type { TableMetadata, TableSchema } from './iceberg-metadata';

/** Types of Iceberg. Decimals and JSON stay texts, because Iceberg has no type that holds all of them. */
export const ICEBERG_TYPES: Readonly<Record<TargetType, string>> = {
  text: 'string',
  integer: 'long',
  double: 'double',
  decimal: 'string',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  json: 'string',
};

interface Field {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
}

/** Field id of `_id`. */
export const ID_FIELD = 1;
/** Field id of `_revision`. */
export const REVISION_FIELD = 2;
/** Field id of `_deleted_at` or `_valid_to`. */
const END_FIELD = 4;

/**
 * The columns that every table has. A catalog numbers the columns of a new table from 1 on, so the
 * table is created with these, and the others are added.
 */
export function ownFields({ deletions }: Pick<TargetTable, 'deletions'>): readonly Field[] {
  return [
    { id: ID_FIELD, name: '_id', required: false, type: 'long' },
    { id: REVISION_FIELD, name: '_revision', required: false, type: 'long' },
    { id: 3, name: '_synced_at', required: false, type: 'timestamptz' },
    ...MODE_COLUMNS[deletions].map((name): Field => ({
      id: END_FIELD,
      name,
      required: false,
      type: 'timestamptz',
    })),
  ];
}

/** A column with the id by which Iceberg knows it. A column whose type changes has another one. */
export interface FieldColumn extends TargetColumn {
  readonly fieldId: number;
}

const MAX_COLUMNS = 10_000;
const MAX_NAME_LENGTH = 1_000;
const storedColumns = z
  .array(
    z.object({
      id: z.number().int().nonnegative(),
      fieldId: z.number().int().positive(),
      name: z.string().min(1).max(MAX_NAME_LENGTH),
      type: z.custom<TargetType>(isTargetType),
    }),
  )
  .max(MAX_COLUMNS);

/** Reads stored columns. @returns `null` if they are not valid. */
export function readColumns(value: unknown): readonly FieldColumn[] | null {
  const parsed = storedColumns.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Gives field ids to columns. A column with the id and type of a known one has its field id. */
export class FieldIds {
  private readonly known = new Map<string, number>();

  /** @param last Highest id that the table has ever had. */
  constructor(
    columns: readonly FieldColumn[],
    public last: number,
  ) {
    for (const column of columns) this.known.set(keyOf(column), column.fieldId);
  }

  of(column: TargetColumn): number {
    const known = this.known.get(keyOf(column));
    if (known !== undefined) return known;
    this.last += 1;
    this.known.set(keyOf(column), this.last);
    return this.last;
  }
}

const keyOf = ({ id, type }: TargetColumn): string => `${String(id)}:${type}`;

/** Returns the fields of a table with these columns. */
export function fieldsOf(
  table: Pick<TargetTable, 'deletions'>,
  columns: readonly FieldColumn[],
): readonly Field[] {
  const own = columns.map(({ fieldId, name, type }): Field => ({
    id: fieldId,
    name,
    required: false,
    type: ICEBERG_TYPES[type],
  }));
  return [...ownFields(table), ...own];
}

/** Returns whether a schema has exactly these fields, in any order. */
export function hasFields({ fields }: TableSchema, expected: readonly Field[]): boolean {
  const found = new Map(fields.map((field) => [field.id, field]));
  return (
    fields.length === expected.length &&
    expected.every(({ id, name, type }) => {
      const field = found.get(id);
      return field?.name === name && field.type === type;
    })
  );
}

/** Returns the current schema of a table. */
export function currentSchema(metadata: TableMetadata): TableSchema | undefined {
  return metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id']);
}
