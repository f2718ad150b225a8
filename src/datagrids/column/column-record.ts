import { JsonResponse } from '../../common/envelope/json-response';
import { etagOf } from '../../platform/http/etag';
import { withOptionDefaults } from '../column-type/column-options';
import type { ColumnOptions } from '../column-type/descriptor';
import {
  COLUMN_TYPE_NAMES,
  ignoresCase,
  isComparable,
  isComparedAsNumber,
} from '../column-type/column-type';
import { withNormalDefault } from './column-default';
import type { DatagridColumnEntity } from './datagrid-column.entity';
import type { ColumnDto, CreateColumnDto } from './dto/column.dto';

/** `indexedTo` of a column whose index is complete. */
export const INDEX_COMPLETE = -1;

/** Leftovers of a column in the tables of indexes and of unique values. */
export type ColumnLeftovers = Pick<DatagridColumnEntity, 'entriesLeftAt' | 'claimsLeftAt'>;

/** What a removed column has in addition. */
export type ColumnRemoval = Pick<
  DatagridColumnEntity,
  'removedAt' | 'inTrash' | 'removedByUserId' | 'removedByKeyId'
>;

/** What a column has that is not removed. */
export const NOT_REMOVED: ColumnRemoval = {
  removedAt: null,
  inTrash: false,
  removedByUserId: null,
  removedByKeyId: null,
};

/** A column that is not removed, as the statements return it. */
export type ColumnRecord = Omit<
  DatagridColumnEntity,
  | 'createdAt'
  | 'datagridId'
  | 'position'
  | 'metadataBytes'
  | 'numberOffset'
  | keyof ColumnLeftovers
  | keyof ColumnRemoval
> & {
  /** Absent for a column that is only read. */
  readonly numberOffset?: number | null;
  /** Id of the datagrid's last row, if known. The index is complete when `indexedTo` reaches it. */
  readonly lastRowId?: number;
};

/** SQL of the order in which columns are listed. */
export const COLUMN_ORDER = 'coalesce(position, id), id';

/**
 * Selects the columns of datagrid `$1`, with the counter `c`, as a JSON array, in order. Removed
 * columns are omitted.
 * @param condition Further condition, which begins with `AND`.
 */
export const columnsJson = (condition: string): string => `
  (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'key', key, 'previousKeys', previous_keys, 'slot', slot, 'title', title, 'type', type, 'required', is_required,
      'unique', is_unique, 'indexed', is_indexed, 'indexedTo', indexed_to,
      'lastRowId', c.last_row_id, 'options', options, 'defaultValue', default_value,
      'numberOffset', number_offset, 'version', version) ORDER BY ${COLUMN_ORDER}), '[]')
    FROM datagrid_columns WHERE datagrid_id = $1 AND removed_at IS NULL ${condition})`;

/** The same for all columns. */
export const COLUMNS_JSON = columnsJson('');

const INCOMPARABLE = COLUMN_TYPE_NAMES.filter((type) => !isComparable(type))
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * Aggregate: the columns of the datagrid with the counter `c` as the API returns them, as JSON text.
 * `toColumnDto` returns the same for one column.
 */
export const COLUMNS_AGGREGATE = `
  '[' || coalesce(string_agg(
      '{"key":"' || key || '","title":' || to_json(title) || ',"type":"' || type
      || '","required":' || is_required || ',"unique":' || is_unique
      || ',"indexed":' || is_indexed || ',"options":' || options
      || CASE WHEN previous_keys = '[]' THEN '' ELSE ',"previousKeys":' || previous_keys::text END
      || coalesce(',"defaultValue":' || default_value::text, '')
      || CASE WHEN (is_indexed OR is_unique) AND type NOT IN (${INCOMPARABLE})
          AND indexed_to IS DISTINCT FROM ${String(INDEX_COMPLETE)}
        THEN ',"indexing":{"progress":'
          || coalesce(indexed_to, 0)::float8 / greatest(1, c.last_row_id) || '}'
        ELSE '' END || '}', ',' ORDER BY ${COLUMN_ORDER}), '') || ']'`;

/** Selects the columns of datagrid `$1`, with the counter `c`, as the API returns them. */
export const COLUMNS_TEXT = `
  (SELECT ${COLUMNS_AGGREGATE}
    FROM datagrid_columns WHERE datagrid_id = $1 AND removed_at IS NULL)`;

/** Returns whether a column needs an index: it is marked as indexed, or unique. */
function needsIndex({
  type,
  unique,
  indexed,
}: Pick<ColumnRecord, 'type' | 'unique' | 'indexed'>): boolean {
  return (indexed || unique) && isComparable(type);
}

/** Returns whether the column's index is complete, so that rows can be looked up in it. */
export function hasIndex({ indexedTo }: Pick<ColumnRecord, 'indexedTo'>): boolean {
  return indexedTo === INDEX_COMPLETE;
}

/** Returns a column with its defaults, for a datagrid without rows. */
export function newColumn(body: CreateColumnDto, id: number, slot: string): ColumnRecord {
  const { type, unique = false, indexed = false } = body;
  const options = withOptionDefaults(type, body.options ?? {});
  return withNormalDefault({
    id,
    key: body.key,
    previousKeys: [],
    slot,
    title: body.title ?? body.key,
    type,
    required: body.required ?? false,
    unique,
    indexed,
    indexedTo: needsIndex({ type, unique, indexed }) ? INDEX_COMPLETE : null,
    options,
    defaultValue: body.defaultValue ?? null,
    numberOffset: numberOffset(options, 1),
    version: 1,
  });
}

/**
 * Returns the distance between the ids of rows and their numbers in a column; `null` if the column has
 * no `start`.
 * @param firstId Id of the first row, which has the number `start`.
 */
export function numberOffset({ start }: ColumnOptions, firstId: number): number | null {
  return start === undefined ? null : start - firstId;
}

/**
 * Returns a column with its ETag, which differs from that of every earlier version and of every
 * other column with this key.
 */
export function toColumnItem(column: ColumnRecord): JsonResponse<ColumnDto> {
  const data = toColumnDto(column);
  return JsonResponse.of(data, etagOf(data, `${String(column.id)}.${String(column.version)}`));
}

export function toColumnDto(column: ColumnRecord): ColumnDto {
  const { key, title, type, required, unique, indexed, indexedTo, lastRowId, options } = column;
  const { defaultValue, previousKeys } = column;
  const { choices, ...others } = options;
  return {
    key,
    title,
    type,
    required,
    unique,
    indexed,
    options: choices === undefined ? others : { choices: [...choices] },
    ...(previousKeys.length > 0 && { previousKeys: previousKeys.map((each) => ({ ...each })) }),
    ...(defaultValue !== null && { defaultValue }),
    // Progress is 0 while leftovers of an earlier index are still to be deleted.
    ...(needsIndex(column) &&
      indexedTo !== INDEX_COMPLETE && {
        indexing: { progress: (indexedTo ?? 0) / Math.max(1, lastRowId ?? 1) },
      }),
  };
}

/**
 * Returns a new column with the state of its index, if it needs one: complete if there are no rows,
 * otherwise to be built in the background. Writes maintain the index from now on. The background
 * build adds existing rows.
 */
export function withIndexFor(column: ColumnRecord, lastRowId: number): ColumnRecord {
  const indexedTo = lastRowId === 0 ? INDEX_COMPLETE : 0;
  return { ...column, indexedTo: needsIndex(column) ? indexedTo : null };
}

/**
 * Returns a column after a change with the state of its index. Keeps the index if it still serves
 * the column. A new index waits until the leftovers of the old one are deleted. Until then, writes
 * maintain none.
 * @param isConverted Whether the change converts the values, so that no index entry stays valid.
 */
export function withIndexAfter(
  before: ColumnRecord & ColumnLeftovers,
  after: ColumnRecord,
  lastRowId: number,
  isConverted = false,
): ColumnRecord & ColumnLeftovers {
  const leftovers = leftoversAfter(before, after, lastRowId, isConverted);
  if (!isConverted && isIndexedAlike(before, after)) return { ...after, ...leftovers };
  const { indexedTo } = withIndexFor(after, lastRowId);
  return { ...after, ...leftovers, indexedTo: leftovers.entriesLeftAt === null ? indexedTo : null };
}

/**
 * Returns the leftovers of a column after a change. They are no longer read.
 * @param after `null` if the column is removed.
 */
export function leftoversAfter(
  before: ColumnRecord & ColumnLeftovers,
  after: ColumnRecord | null,
  lastRowId: number,
  isConverted = false,
): ColumnLeftovers {
  if (lastRowId === 0) return { entriesLeftAt: null, claimsLeftAt: null };
  const now = new Date();
  const keepsIndex = !isConverted && after !== null && isIndexedAlike(before, after);
  const keepsClaims = after?.unique ?? false;
  return {
    entriesLeftAt: before.indexedTo === null || keepsIndex ? before.entriesLeftAt : now,
    claimsLeftAt: keepsClaims ? null : before.unique ? now : before.claimsLeftAt,
  };
}

/**
 * Returns whether the same index serves the column before and after a change, or it has none in
 * both.
 */
function isIndexedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const comparesAlike =
    isComparedAsNumber(before.type) === isComparedAsNumber(after.type) &&
    ignoresCase(before) === ignoresCase(after);
  return needsIndex(before) === needsIndex(after) && comparesAlike;
}
