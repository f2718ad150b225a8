import { datagridsText } from '../../text/datagrids-text';
import { COLUMN_TYPES, isReadOnly } from '../column-type';
import type { RowQuery } from '../row-query';
import type { Column, Datagrid, JsonValue } from '../datagrid';
import { storedColumns } from '../stored-columns';
import type { ApiCall } from './api-call';

const t = datagridsText.api.calls;

/** Maximum number of columns in an example, in addition to required ones. */
const SHOWN_COLUMNS = 6;

const PAGE_SIZE = '100';

/**
 * Returns example calls for one datagrid, with its own columns.
 *
 * @param origin Origin of the service, such as `https://data.example.com`.
 * @param rowId ID of an existing row, if one is known.
 */
export function callsFor(
  origin: string,
  { id, columns }: Pick<Datagrid, 'id' | 'columns'>,
  rowQuery: RowQuery,
  rowId = 1,
): readonly ApiCall[] {
  const rows = `${origin}/api/v1/public/datagrids/${id}/rows`;
  const plain = { query: {}, headers: {} };
  const writable = columns.filter(({ type }) => !isReadOnly(type));
  const values = exampleValues(writable);
  const row = `${rows}/${rowId}`;
  // Another row may already have the example value of a unique column.
  const changed = writable.find((column) => !column.unique) ?? writable[0];
  const unique = writable.find((column) => column.unique);
  // The exported file has these columns, and an import must be told to leave them out.
  const hasReadOnly = storedColumns(columns).some(({ type }) => isReadOnly(type));
  return [
    screenCall(origin, id, rowQuery),
    { ...plain, title: t.get, method: 'GET', url: row },
    { ...plain, title: t.create, method: 'POST', url: rows, body: { values } },
    ...(changed
      ? [
          {
            title: t.update,
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
            title: t.upsert(unique.key),
            method: 'PUT' as const,
            url: rows,
            body: {
              matchOn: [unique.key],
              rows: [{ values: { ...values, [unique.key]: exampleValue(unique) } }],
            },
          },
        ]
      : []),
    { ...plain, title: t.remove, method: 'DELETE', url: row },
    {
      title: t.importFile,
      method: 'POST',
      url: `${rows}/import`,
      query: { onError: 'skip', ...(hasReadOnly && { ignoreReadOnly: 'true' }) },
      headers: { 'Content-Type': 'text/csv' },
      sends: 'rows.csv',
    },
    {
      title: t.exportAll,
      method: 'GET',
      url: `${rows}/export`,
      query: { format: 'csv' },
      headers: {},
      saves: 'rows.csv',
    },
  ];
}

/** Returns the call that lists the rows on the screen. */
export function screenCall(origin: string, id: string, rowQuery: RowQuery): ApiCall {
  const asked = Object.entries(rowQuery).filter(
    (part): part is [string, string] => typeof part[1] === 'string',
  );
  return {
    title: asked.length > 0 ? t.listDisplayed : t.list,
    method: 'GET',
    url: `${origin}/api/v1/public/datagrids/${id}/rows`,
    query: { ...Object.fromEntries(asked), limit: PAGE_SIZE },
    headers: {},
  };
}

function exampleValues(columns: readonly Column[]): Record<string, JsonValue> {
  const shown = storedColumns(columns).filter(({ required }, at) => required || at < SHOWN_COLUMNS);
  return Object.fromEntries(shown.map((column) => [column.key, exampleValue(column)]));
}

/** Returns a value that the column accepts. */
function exampleValue({ key, type, options }: Column): JsonValue {
  return COLUMN_TYPES[type].example(key, options.choices?.[0] ?? '');
}
