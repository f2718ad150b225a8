import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { Filter } from './filter/filter';
import type { FindRequest } from './find-request';

/** The columns that a request filters and sorts by, each once. */
export function columnsAsked({ filter, sort }: FindRequest): SchemaColumn[] {
  return [...new Set([...filterColumns(filter), ...sort.map(({ column }) => column)])];
}

/** The columns that a filter asks of, as often as it does. */
export function filterColumns(filter: Filter): SchemaColumn[] {
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
