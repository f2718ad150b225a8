import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { objectOf } from '../../cells/values/typed-value';
import type { GridView } from '../filter/grid-view';
import { periodOf, type Period } from './period';

/** Returns the JSON of the filter of the displayed group; `undefined` for all groups. */
export function groupJson(
  { groupBy, groupBucket, group }: GridView,
  columns: readonly Column[],
): string | undefined {
  const column = columns.find(({ key }) => key === groupBy);
  if (group === undefined || !column) return undefined;
  const period = groupBucket && periodOf(groupBucket, group);
  const condition = period ? periodCondition(column, period) : valueCondition(group);
  return objectOf(new Map([[column.key, JSON.stringify(condition)]]));
}

const valueCondition = (value: JsonValue): object =>
  value === null ? { $isNull: true } : { $eq: value };

function periodCondition({ type }: Column, { first, next }: Period): object {
  const bound = (day: string): string => (type === 'datetime' ? `${day}T00:00:00Z` : day);
  return { $gte: bound(first), ...(next !== null && { $lt: bound(next) }) };
}
