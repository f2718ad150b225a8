import type { Column } from '../../datagrids/datagrid';
import type { RowQuery } from '../../datagrids/row-query';
import { objectOf } from '../values/typed-value';

/** Maximum number of groups of the API. */
const MAX_GROUPS = 1_000;

/** Returns the body of a request for groups as text, in which numbers of the filter keep the digits that were typed. */
export function aggregateBody(
  { filter, q, view }: RowQuery,
  groupBy: string,
  summed: readonly Column[],
): string {
  const sums = summed.map(({ key }, index) => {
    return { function: 'sum', column: key, as: `sum${index}` };
  });
  return objectOf(
    new Map([
      ['groupBy', JSON.stringify([{ column: groupBy }])],
      ['aggregates', JSON.stringify([{ function: 'count' }, ...sums])],
      ['limit', String(MAX_GROUPS)],
      ...(filter === undefined ? [] : [['filter', filter] as const]),
      ...(q === undefined ? [] : [['q', JSON.stringify(q)] as const]),
      ...(view === undefined ? [] : [['view', JSON.stringify(view)] as const]),
    ]),
  );
}
