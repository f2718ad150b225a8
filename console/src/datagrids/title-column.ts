import type { ColumnType } from './column-type';
import type { Column, Row } from './datagrid';

/** Types whose values are texts that can be searched. */
const TITLE_TYPES: readonly ColumnType[] = ['text', 'email', 'url'];

/** Returns the column whose values name the rows: the first text; undefined if there is none. */
export const titleColumn = (columns: readonly Column[]): Column | undefined =>
  columns.find(({ type }) => TITLE_TYPES.includes(type));

const MAX_TITLE_LENGTH = 100;

/** Returns the title of a row in one line; `null` if it has none. */
export function rowTitle(key: string | undefined, { values }: Pick<Row, 'values'>): string | null {
  const value = key === undefined ? undefined : values[key];
  if (typeof value !== 'string') return null;
  const line = value.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_TITLE_LENGTH) return line || null;
  return `${Array.from(line).slice(0, MAX_TITLE_LENGTH).join('')}…`;
}
