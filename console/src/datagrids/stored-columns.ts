import { isComputed, isLink } from './column-type';
import type { Column, Row } from './datagrid';

/** Returns the columns whose values can be written, filtered and sorted by. */
export function storedColumns(columns: readonly Column[]): Column[] {
  return columns.filter(({ type }) => !isComputed(type));
}

/** Returns the columns whose values are ids of rows of a datagrid. */
export const linkColumns = (columns: readonly Column[]): Column[] =>
  columns.filter(({ type }) => isLink(type));

/**
 * Returns the values of a row after a write or a change, which have no computed values, together with
 * the computed values as they were last read.
 */
export function withComputed(
  columns: readonly Column[],
  before: Row['values'] | undefined,
  after: Row['values'],
): Row['values'] {
  const computed = columns.filter(({ type }) => isComputed(type));
  if (before === undefined || computed.length === 0) return after;
  const kept = computed.flatMap(({ key }) => {
    const value = Object.hasOwn(after, key) ? after[key] : before[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...after, ...Object.fromEntries(kept) };
}
