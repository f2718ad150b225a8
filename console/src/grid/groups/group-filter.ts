import type { Column } from '../../datagrids/datagrid';
import type { GridView } from '../filter/grid-view';
import { objectOf } from '../values/typed-value';

/** Returns the JSON of the filter of the displayed group; `undefined` for all groups. */
export function groupJson(
  { groupBy, group }: GridView,
  columns: readonly Column[],
): string | undefined {
  if (group === undefined || !columns.some(({ key }) => key === groupBy)) return undefined;
  const condition = group === null ? { $isNull: true } : { $eq: group };
  return objectOf(new Map([[groupBy ?? '', JSON.stringify(condition)]]));
}
