import type { Column } from '../../../datagrids/datagrid';
import { conditionJson, type Condition } from './condition';

/** Parts of which all or any must match. */
export interface FilterGroup {
  readonly match: 'all' | 'any';
  readonly parts: readonly FilterPart[];
}

/** A part of a filter that the dialog shows and removes, but cannot edit, such as one with `$not`. */
export interface OtherPart {
  readonly json: string;
}

export type FilterPart = Condition | FilterGroup | OtherPart;

export const isGroup = (part: FilterPart): part is FilterGroup => 'parts' in part;
export const isCondition = (part: FilterPart): part is Condition => 'key' in part;

/** A filter that all rows match. */
export const NO_FILTER: FilterGroup = { match: 'all', parts: [] };

/**
 * Returns the `filter` parameter of the API. Conditions on columns that do not exist, and groups
 * without conditions, are left out.
 * @returns `undefined` if all rows match.
 */
export function filterJson(group: FilterGroup, columns: readonly Column[]): string | undefined {
  const parts = group.parts.flatMap((part) => partJson(part, columns) ?? []);
  if (parts.length < 2) return parts[0];
  return `{"${group.match === 'all' ? '$and' : '$or'}":[${parts.join(',')}]}`;
}

function partJson(part: FilterPart, columns: readonly Column[]): string | undefined {
  if (isGroup(part)) return filterJson(part, columns);
  if (!isCondition(part)) return part.json;
  const column = columns.find(({ key }) => key === part.key);
  return column && conditionJson(column, part);
}

/** Returns the JSON of a filter that both filters must match. */
export function bothFilters(
  one: string | undefined,
  other: string | undefined,
): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return `{"$and":[${one},${other}]}`;
}
