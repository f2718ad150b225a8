import { hasIndex } from '../../datagrids/column/column-record';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { Filter } from './filter/filter';
import type { FindRequest } from './find-request';

/** Returns the columns without an index that a request filters or sorts by, each once. */
export function columnsWithoutIndex({
  filter,
  sort,
}: Pick<FindRequest, 'filter' | 'sort'>): SchemaColumn[] {
  const asked = [...filterColumns(filter), ...sort.map(({ column }) => column)];
  return [...new Set(asked)].filter((column) => !hasIndex(column));
}

/** Returns the column of each condition in a filter, including duplicates. */
function filterColumns(filter: Filter): SchemaColumn[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(filterColumns);
    case 'not':
      return filterColumns(filter.part);
    case 'null':
    case 'membership':
    case 'comparison':
      return [filter.column];
  }
}
