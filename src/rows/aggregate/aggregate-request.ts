import { type DetailCode, invalidField } from '../../common/error/app-error';
import { isComparable } from '../../datagrids/column-type/column-type';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DISTINCT_COST } from '../query/filter/query-cost';
import {
  ATTRIBUTE_NAMES,
  type DateBucket,
  findQueryColumn,
  hasPeriods,
  type QueryColumn,
  rejectComputed,
} from '../query/query-column';
import { type MatchRequest, matchRequest } from '../query/query-request';
import type { SavedQuery } from '../query/saved-query';
import { type AggregateFunction, takesType } from '../query/aggregate-function';
import type { AggregateDto, AggregateRowsDto } from './dto/aggregate.dto';

/** A column by which rows are grouped. */
export interface GroupKey {
  readonly column: QueryColumn;
  /** Name in the response: the key of the request, which can be a previous one. */
  readonly name: string;
  /** Period of dates; `null` to group by the values themselves. */
  readonly bucket: DateBucket | null;
}

/** A value to compute for each group. */
export interface Aggregate {
  readonly function: AggregateFunction;
  /** `null` to count rows. */
  readonly column: QueryColumn | null;
  /** Name in the response. */
  readonly name: string;
}

/** A group key or an aggregate, by its position, and a direction. */
export interface GroupSortKey {
  readonly kind: 'group' | 'aggregate';
  readonly index: number;
  readonly isDescending: boolean;
}

/** A request for aggregates, checked against the columns of one schema. */
export interface AggregateRequest extends MatchRequest {
  readonly groupBy: readonly GroupKey[];
  readonly aggregates: readonly Aggregate[];
  readonly sort: readonly GroupSortKey[];
  /** Maximum number of groups. */
  readonly limit: number;
}

const MAX_SORT_KEYS = 4;

/** Cost of reading one value of each row. */
const COLUMN_COST = 1;

/**
 * Checks a request for aggregates against the columns.
 * @param view View that the request narrows.
 * @throws AppError `invalid_request` with the path of the invalid part, `query_too_expensive`, or
 *   `conflict` if the view does not fit the columns.
 */
export function aggregateRequest(
  schema: DatagridSchema,
  body: AggregateRowsDto,
  view: SavedQuery | null,
): AggregateRequest {
  const groupBy = groupKeys(schema, body);
  const aggregates = namedAggregates(schema, body.aggregates ?? [{ function: 'count' }]);
  const cost = groupBy.length * COLUMN_COST + aggregates.reduce((sum, one) => sum + costOf(one), 0);
  return {
    ...matchRequest(schema, body, view, cost),
    groupBy,
    aggregates,
    sort: sortKeys(body.sort, groupBy, aggregates),
    limit: body.limit,
  };
}

function costOf({ function: name, column }: Aggregate): number {
  if (name === 'countDistinct') return DISTINCT_COST;
  return column ? COLUMN_COST : 0;
}

function groupKeys(schema: DatagridSchema, { groupBy = [] }: AggregateRowsDto): GroupKey[] {
  const columns = groupBy.map(({ column }, index) =>
    knownColumn(schema, column, `groupBy.${String(index)}.column`),
  );
  return columns.map((column, index) => {
    const { column: key = '', bucket = null } = groupBy[index] ?? {};
    const path = `groupBy.${String(index)}`;
    // A column can be named by its key and by a previous one.
    if (columns.findIndex((other) => other.key === column.key) < index) {
      throw invalidField(`${path}.column`, 'duplicate_column', 'duplicates an earlier column');
    }
    const { type } = column;
    if (!isComparable(type)) {
      const message = `cannot group by ${key}, a column of type ${type}`;
      throw invalidField(`${path}.column`, 'incompatible_parameters', message);
    }
    if (bucket !== null && !hasPeriods(type)) {
      const message = `cannot group ${key}, a column of type ${type}, by periods`;
      throw invalidField(`${path}.bucket`, 'incompatible_parameters', message);
    }
    return { column, name: key, bucket };
  });
}

function namedAggregates(schema: DatagridSchema, aggregates: readonly AggregateDto[]): Aggregate[] {
  const names = new Set<string>();
  return aggregates.map(({ function: applied, column: key, as }, index) => {
    const path = `aggregates.${String(index)}`;
    if (key === undefined && applied !== 'count') {
      throw invalidField(`${path}.column`, 'required', `is required for ${applied}`);
    }
    const column = key === undefined ? null : knownColumn(schema, key, `${path}.column`);
    if (column && !takesType(applied, column.type)) {
      const message = `cannot compute ${applied} of ${column.key}, a column of type ${column.type}`;
      throw invalidField(`${path}.column`, 'incompatible_parameters', message);
    }
    const name = as ?? (key === undefined ? applied : `${applied}_${key}`);
    if (names.has(name)) {
      const message = `${JSON.stringify(name)} is already the name of another aggregate`;
      throw invalidField(`${path}.as`, 'duplicate', message);
    }
    names.add(name);
    return { function: applied, column, name };
  });
}

function knownColumn(schema: DatagridSchema, key: string, path: string): QueryColumn {
  const column = findQueryColumn(schema, key);
  if (column) return column;
  rejectComputed(schema, key, path);
  const name = JSON.stringify(key.slice(0, 63));
  const message = key.startsWith('_')
    ? `unknown row attribute ${name}; expected one of: ${ATTRIBUTE_NAMES}`
    : `unknown column ${name}`;
  throw invalidField(path, 'unknown_column', message);
}

/** Group columns that `sort` does not name follow, so that the order is always the same. */
function sortKeys(
  sort: string | undefined,
  groupBy: readonly GroupKey[],
  aggregates: readonly Aggregate[],
): GroupSortKey[] {
  const names = sort === undefined ? [] : sort.split(',');
  if (names.length > MAX_SORT_KEYS) {
    throw invalidSort('too_many', `must not have more than ${String(MAX_SORT_KEYS)} names`);
  }
  const keys = names.map((text): GroupSortKey => {
    const isDescending = text.startsWith('-');
    const name = isDescending ? text.slice(1) : text;
    const aggregate = aggregates.findIndex((one) => one.name === name);
    if (aggregate !== -1) return { kind: 'aggregate', index: aggregate, isDescending };
    const group = groupBy.findIndex((key) => key.name === name);
    if (group !== -1) return { kind: 'group', index: group, isDescending };
    const shown = JSON.stringify(name.slice(0, 63));
    throw invalidSort('unknown_column', `${shown} is not a group column or an aggregate`);
  });
  const isNamed = ({ kind, index }: GroupSortKey, before: readonly GroupSortKey[]): boolean =>
    before.some((one) => one.kind === kind && one.index === index);
  const repeated = keys.findIndex((key, at) => isNamed(key, keys.slice(0, at)));
  if (repeated !== -1) {
    const name = (names[repeated] ?? '').replace('-', '');
    throw invalidSort('duplicate_column', `must not name ${name} twice`);
  }
  const others = groupBy.map((_, index): GroupSortKey => {
    return { kind: 'group', index, isDescending: false };
  });
  return [...keys, ...others.filter((key) => !isNamed(key, keys))];
}

const invalidSort = (code: DetailCode, message: string): Error =>
  invalidField('sort', code, message);
