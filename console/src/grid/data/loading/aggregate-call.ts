import type { ApiResponse } from '../../../api/api-response';
import { dataRequest } from '../../../api/data';
import type { JsonValue } from '../../../datagrids/datagrid';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { RowQuery } from '../../../datagrids/row-query';
import { objectOf } from '../../cells/values/typed-value';

/** A group of rows with the values of its aggregates, by their names. */
export interface ApiGroup {
  readonly group: Readonly<Record<string, JsonValue>>;
  readonly values: Readonly<Record<string, number | string | null>>;
}

/** Members of a request for aggregates, apart from those that select the rows. */
export interface AggregateRequest {
  readonly groupBy?: readonly object[];
  readonly aggregates: readonly object[];
  readonly limit?: number;
}

/** Returns the body of a request, in which numbers of the filter keep the digits that were typed. */
export function aggregateBody(
  { filter, q, view }: RowQuery,
  { groupBy, aggregates, limit }: AggregateRequest,
): string {
  const member = (name: string, json: string | undefined): (readonly [string, string])[] =>
    json === undefined ? [] : [[name, json]];
  return objectOf(
    new Map([
      ...member('groupBy', groupBy && JSON.stringify(groupBy)),
      ...member('aggregates', JSON.stringify(aggregates)),
      ...member('limit', limit?.toString()),
      ...member('filter', filter),
      ...member('q', q && JSON.stringify(q)),
      ...member('view', view && JSON.stringify(view)),
    ]),
  );
}

export function aggregateRows(
  datagridId: string,
  rawBody: string,
  signal: AbortSignal,
): Promise<ApiResponse<readonly ApiGroup[]>> {
  const path = `${datagridPath(datagridId)}/rows/aggregate`;
  const contentType = 'application/json';
  return dataRequest('POST', path, { rawBody, contentType, signal });
}
