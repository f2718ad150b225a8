import type { RowQuery } from '../row-query';
import type { Column, Datagrid, JsonValue } from '../datagrid';
import type { ApiCall } from './api-call';
import { exampleValue } from './example-value';

/** Columns that an example names at most, besides those that must have a value. */
const SHOWN_COLUMNS = 6;

const PAGE_SIZE = '100';

/**
 * Calls for one datagrid, made of its own columns.
 *
 * @param origin Of the service, such as `https://data.example.com`.
 * @param rowId Of a row that there is, where one is known.
 */
export function callsFor(
  origin: string,
  { id, columns }: Pick<Datagrid, 'id' | 'columns'>,
  rowQuery: RowQuery,
  rowId = 1,
): readonly ApiCall[] {
  const rows = `${origin}/api/v1/public/datagrids/${id}/rows`;
  const plain = { query: {}, headers: {} };
  const values = exampleValues(columns);
  const row = `${rows}/${rowId}`;
  // What is unique may be another row's already.
  const changed = columns.find((column) => !column.unique) ?? columns[0];
  const unique = columns.find((column) => column.unique);
  return [
    screenCall(origin, id, rowQuery),
    { ...plain, title: 'One row', method: 'GET', url: row },
    { ...plain, title: 'Create a row', method: 'POST', url: rows, body: { values } },
    ...(changed
      ? [
          {
            title: 'Change a row, if nobody else has since',
            method: 'PATCH' as const,
            url: row,
            query: {},
            headers: {},
            body: { values: { [changed.key]: exampleValue(changed) } },
            isConditional: true,
          },
        ]
      : []),
    ...(unique
      ? [
          {
            ...plain,
            title: `Create rows, or change those with the same ${unique.key}`,
            method: 'PUT' as const,
            url: rows,
            body: {
              matchOn: [unique.key],
              rows: [{ values: { ...values, [unique.key]: exampleValue(unique) } }],
            },
          },
        ]
      : []),
    { ...plain, title: 'Delete a row', method: 'DELETE', url: row },
    {
      title: 'Import a file of any length',
      method: 'POST',
      url: `${rows}/import`,
      query: { onError: 'skip' },
      headers: { 'Content-Type': 'text/csv' },
      sends: 'rows.csv',
    },
    {
      title: 'Export all rows',
      method: 'GET',
      url: `${rows}/export`,
      query: { format: 'csv' },
      headers: {},
      saves: 'rows.csv',
    },
  ];
}

/** The call for what is on the screen. */
export function screenCall(origin: string, id: string, rowQuery: RowQuery): ApiCall {
  const asked = Object.entries(rowQuery).filter(
    (part): part is [string, string] => typeof part[1] === 'string',
  );
  return {
    title: asked.length > 0 ? 'The rows on the screen' : 'The first rows',
    method: 'GET',
    url: `${origin}/api/v1/public/datagrids/${id}/rows`,
    query: { ...Object.fromEntries(asked), limit: PAGE_SIZE },
    headers: {},
  };
}

function exampleValues(columns: readonly Column[]): Record<string, JsonValue> {
  const shown = columns.filter(({ required }, at) => required || at < SHOWN_COLUMNS);
  return Object.fromEntries(shown.map((column) => [column.key, exampleValue(column)]));
}
