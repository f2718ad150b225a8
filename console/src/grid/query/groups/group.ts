import { isTime } from '../../../common/shown-time';
import { COLUMN_TYPES, isComparable } from '../../../datagrids/column-type';
import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { titledValue, type TitleSource } from '../../cells/links/links-as-text';
import { periodOf, showPeriod, type DateBucket } from './period';

/** A group of rows, as the API returns it. */
export interface RowGroup {
  /** Value of the group column; `null` for rows without one. */
  readonly value: JsonValue;
  readonly count: number;
  /** Sum of each numeric column, as text; `null` if no row of the group has a value. */
  readonly sums: readonly (string | null)[];
}

/** Whether rows can be grouped by the values of a column. Dates and times are grouped by periods. */
export const canGroupBy = ({ type }: Column): boolean => isComparable(type) && !isTime(type);

/** Returns the name of a group. @param bucket Period of the groups; `null` for the values themselves. */
export function groupTitle(
  column: Column,
  value: JsonValue,
  bucket: DateBucket | null,
  titles: TitleSource,
): string {
  if (value === null) return gridText.groups.none;
  const period = bucket && periodOf(bucket, value);
  if (bucket && period) return showPeriod(bucket, period.first);
  const shown = titledValue(column, value, titles);
  return shown === '' ? gridText.groups.empty : shown;
}

/** Maximum number of columns whose sums are displayed. */
const MAX_SUMS = 10;

/** Returns the columns whose sums are displayed. @param visible Columns in the order of display. */
export function summedColumns(visible: readonly Column[], groupBy: string): Column[] {
  return visible
    .filter(({ key, type }) => COLUMN_TYPES[type].isNumeric && key !== groupBy)
    .slice(0, MAX_SUMS);
}

/** Returns groups in the order of the choices of a column; those of other columns as they are. */
export function orderedGroups(column: Column, groups: readonly RowGroup[]): RowGroup[] {
  const { choices = [] } = column.options;
  const place = ({ value }: RowGroup): number => {
    const at = choices.findIndex((choice) => choice === value);
    return at === -1 ? choices.length : at;
  };
  return [...groups].sort((a, b) => place(a) - place(b));
}
