import type { Column } from '../../../datagrids/datagrid';
import { findColumn } from '../../../datagrids/previous-key';
import { linkColumns, storedColumns } from '../../../datagrids/stored-columns';
import { gridText } from '../../../text/grid-text';

/** Operator of the API that compares the linked rows of a column. */
export const ROW_OPERATOR = '$row';

/** Maximum number of conditions on linked rows in a filter. */
export const MAX_ROW_CONDITIONS = 3;

const SEPARATOR = '.';

/**
 * Returns the columns of a datagrid that a filter can compare, and those of the datagrids that it links
 * to: a filter compares them in the linked rows. Their keys are paths, such as `airline.name`.
 * @param linked Columns by the id of the datagrid, as far as they are known.
 */
export function withLinkedColumns(
  columns: readonly Column[],
  linked: ReadonlyMap<string, readonly Column[]>,
): readonly Column[] {
  const added = linkColumns(columns).flatMap(({ key, title, options }) =>
    storedColumns(linked.get(options.datagridId ?? '') ?? []).map((column) => ({
      ...column,
      key: linkedKey(key, column.key),
      title: gridText.filter.linkedColumn(title, column.title),
      previousKeys: (column.previousKeys ?? []).map((previous) => ({
        ...previous,
        key: linkedKey(key, previous.key),
      })),
    })),
  );
  return [...storedColumns(columns), ...added];
}

/**
 * Returns the columns with the source of each lookup, whose values are shown as in that column.
 * @param linked Columns of `withLinkedColumns`.
 */
export function withSources(
  columns: readonly Column[],
  linked: readonly Column[],
): readonly Column[] {
  return columns.map((column) => {
    const { link, column: read } = column.options;
    if (column.type !== 'lookup' || link === undefined || read === undefined) return column;
    const source = findColumn(linked, linkedKey(link, read));
    return source ? { ...column, source } : column;
  });
}

export const linkedKey = (key: string, linked: string): string => `${key}${SEPARATOR}${linked}`;

/** Returns whether a key is the path of a column of linked rows. */
export const isLinkedKey = (key: string): boolean => key.includes(SEPARATOR);

/** Returns the object of the API for operators on a column, or on a column of linked rows. */
export function operatorsJson(key: string, operators: string): string {
  return key
    .split(SEPARATOR)
    .map((part) => JSON.stringify(part))
    .reduceRight(
      (json, part, at) =>
        at === 0 ? `{${part}:${json}}` : `{"${ROW_OPERATOR}":{${part}:${json}}}`,
      operators,
    );
}
