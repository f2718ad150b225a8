import { Item } from '../../common/envelope/item';
import { etagOf } from '../../platform/http/etag';
import { COLUMN_TYPES } from '../column-type/column-type';
import { isComparable } from '../column-type/value-class';
import type { DatagridColumnEntity } from './datagrid-column.entity';
import type { ColumnDto } from './dto/column.dto';
import type { CreateColumnDto } from './dto/create-column.dto';

/** `indexedTo` of a column whose index has every row. */
export const INDEX_COMPLETE = -1;

/** What a column has left behind in the tables of indexes and of unique values. */
export type ColumnLeftovers = Pick<DatagridColumnEntity, 'entriesLeftAt' | 'claimsLeftAt'>;

/** A living column, as the statements give it. */
export type ColumnRecord = Omit<
  DatagridColumnEntity,
  'createdAt' | 'removedAt' | 'datagridId' | 'metadataBytes' | keyof ColumnLeftovers
> & {
  /** The datagrid's last row, where it is known: what `indexedTo` has to reach. */
  readonly lastRowId?: number;
};

/** Gives the living columns of the datagrid whose counter is `c` as a JSON array, in order. */
export const COLUMNS_JSON = `
  (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'key', key, 'slot', slot, 'title', title, 'type', type, 'required', is_required,
      'unique', is_unique, 'indexed', is_indexed, 'indexedTo', indexed_to,
      'lastRowId', c.last_row_id, 'options', options, 'version', version) ORDER BY id), '[]')
    FROM datagrid_columns WHERE datagrid_id = c.datagrid_id AND removed_at IS NULL)`;

const INCOMPARABLE = COLUMN_TYPES.filter((type) => !isComparable(type))
  .map((type) => `'${type}'`)
  .join(', ');

/** The same as the API gives them, as JSON text: see `toColumnDto`, which prints one alike. */
export const COLUMNS_TEXT = `
  (SELECT '[' || coalesce(string_agg(
      '{"key":"' || key || '","title":' || to_json(title) || ',"type":"' || type
      || '","required":' || is_required || ',"unique":' || is_unique
      || ',"indexed":' || is_indexed || ',"options":' || options
      || CASE WHEN (is_indexed OR is_unique) AND type NOT IN (${INCOMPARABLE})
          AND indexed_to IS DISTINCT FROM ${String(INDEX_COMPLETE)}
        THEN ',"indexing":{"progress":'
          || coalesce(indexed_to, 0)::float8 / greatest(1, c.last_row_id) || '}'
        ELSE '' END || '}', ',' ORDER BY id), '') || ']'
    FROM datagrid_columns WHERE datagrid_id = c.datagrid_id AND removed_at IS NULL)`;

/** Whether a column is kept in an index: marked so, or unique. */
export function needsIndex(column: Pick<ColumnRecord, 'type' | 'unique' | 'indexed'>): boolean {
  return (column.indexed || column.unique) && isComparable(column.type);
}

/** Whether its index is complete, so that rows may be looked up in it. */
export function hasIndex({ indexedTo }: Pick<ColumnRecord, 'indexedTo'>): boolean {
  return indexedTo === INDEX_COMPLETE;
}

/** A column with its defaults filled in, of a datagrid without rows. */
export function newColumn(body: CreateColumnDto, id: number, slot: string): ColumnRecord {
  const { type, unique = false, indexed = false } = body;
  return {
    id,
    key: body.key,
    slot,
    title: body.title ?? body.key,
    type,
    required: body.required ?? false,
    unique,
    indexed,
    indexedTo: needsIndex({ type, unique, indexed }) ? INDEX_COMPLETE : null,
    options: body.options ?? {},
    version: 1,
  };
}

/** A column with its tag, which no other column of that key has, and no earlier version. */
export function toColumnItem(column: ColumnRecord): Item<ColumnDto> {
  const data = toColumnDto(column);
  return new Item(data, etagOf(data, `${String(column.id)}.${String(column.version)}`));
}

export function toColumnDto(column: ColumnRecord): ColumnDto {
  const { key, title, type, required, unique, indexed, indexedTo, lastRowId, options } = column;
  const { choices } = options;
  return {
    key,
    title,
    type,
    required,
    unique,
    indexed,
    options: choices === undefined ? {} : { choices: [...choices] },
    // Not begun where an index that it had before is still to be cleared away.
    ...(needsIndex(column) &&
      indexedTo !== INDEX_COMPLETE && {
        indexing: { progress: (indexedTo ?? 0) / Math.max(1, lastRowId ?? 1) },
      }),
  };
}
