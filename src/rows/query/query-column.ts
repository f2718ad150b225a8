import { invalidField } from '../../common/error/app-error';
import { type ColumnType, valueCheckFor } from '../../datagrids/column-type/column-type';
import {
  type DatagridSchema,
  findColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { timeText } from '../storage/row-json-sql';

/** A column, or an attribute of the rows, that a filter or a sort names. */
export interface QueryColumn extends SchemaColumn {
  /** For attributes only. */
  readonly attribute?: RowAttribute;
}

/** How queries read an attribute of row `r`. Every row has a value. */
export interface RowAttribute {
  readonly sql: string;
  /** SQL type in which the attribute is compared. Text is compared by code point. */
  readonly sqlType: 'bigint' | 'text';
  /** Whether no two rows have the same value. */
  readonly isUnique: boolean;
}

const integer = (sql: string, isUnique: boolean): RowAttribute => {
  return { sql, sqlType: 'bigint', isUnique };
};

/** Times are compared as text, in the form in which they are returned. No cursor can then fail a cast. */
const time = (sql: string): RowAttribute => {
  return { sql: `${timeText(sql)} COLLATE "C"`, sqlType: 'text', isUnique: false };
};

/**
 * Attributes of rows by their names in filters and sorts. Keys of columns cannot begin with an
 * underscore.
 */
const ROW_ATTRIBUTES: ReadonlyMap<string, QueryColumn> = new Map(
  (
    [
      ['_id', 'integer', integer('r.id', true)],
      ['_revision', 'integer', integer('r.revision', false)],
      ['_createdAt', 'datetime', time('r.created_at')],
      ['_updatedAt', 'datetime', time('r.updated_at')],
    ] as const
  ).map(([key, type, attribute], index) => [
    key,
    attributeColumn(key, type, attribute, -1 - index),
  ]),
);

function attributeColumn(
  key: string,
  type: ColumnType,
  attribute: RowAttribute,
  id: number,
): QueryColumn {
  return {
    id,
    key,
    previousKeys: [],
    slot: key,
    title: key,
    type,
    required: true,
    unique: false,
    indexed: false,
    indexedTo: null,
    defaultValue: null,
    options: {},
    version: 1,
    check: valueCheckFor(type, {}),
    isReadOnly: true,
    attribute,
  };
}

/** Returns the column or the attribute with a name; `undefined` if there is none. */
export function findQueryColumn(schema: DatagridSchema, name: string): QueryColumn | undefined {
  return findColumn(schema, name) ?? ROW_ATTRIBUTES.get(name);
}

/** Periods by which dates and times are grouped, in UTC. Weeks start on Monday. */
export const DATE_BUCKETS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type DateBucket = (typeof DATE_BUCKETS)[number];

/** Returns whether values of a type belong to periods. */
export function hasPeriods(type: ColumnType): boolean {
  return type === 'date' || type === 'datetime';
}

/** Names of the attributes, for messages. */
export const ATTRIBUTE_NAMES = [...ROW_ATTRIBUTES.keys()].join(', ');

/** @throws AppError `invalid_request` if a name is the key of a computed column. @param field Its path. */
export function rejectComputed({ computed }: DatagridSchema, name: string, field: string): void {
  if (!computed.has(name)) return;
  const message = `column ${JSON.stringify(name)} is computed; use a column with stored values`;
  throw invalidField(field, 'incompatible_parameters', message);
}
