import type { Column } from '../../../datagrids/datagrid';
import type { KnownRow } from '../../cells/known-row';
import { readChoices } from '../../cells/values/pasted-value';
import type { Box } from '../../table/ranges/cell-range';
import { columnsOf, copiedText, rowsOf, rowsWithin, type BlockContext } from './block-actions';
import { MAX_CHANGED_ROWS } from './block-write';
import { continuation, repeating } from './fill-series';
import { planOf, type Plan } from './paste-plan';

/** A drag of the fill handle, from a box of cells to a larger one that has it at an edge. */
export interface Fill {
  readonly source: Box;
  readonly target: Box;
  /** Whether to repeat the cells without continuing their series. */
  readonly isCopy: boolean;
}

/** Returns what changes if the series in the source continue through the target. */
export async function planSeries(
  context: BlockContext,
  { source, target, isCopy }: Fill,
): Promise<Plan> {
  const columns = columnsOf(context);
  const rows = await rowsWithin(context, target);
  const isDown = target.top !== source.top || target.bottom !== source.bottom;
  const isBackward = target.top < source.top || target.left < source.left;
  const textOf = (row: number, column: number): string => {
    const [known, of] = [rows[row - target.top], columns[column]];
    return known && of ? copiedText(context, of, known) : '';
  };
  const texts = new Map<string, string>();
  const continued = (
    line: readonly string[],
    type: Column['type'] | undefined,
    count: number,
  ): readonly string[] => {
    const ordered = isBackward ? [...line].reverse() : line;
    const next = (isCopy ? repeating(ordered) : continuation(ordered, type))(count);
    return isBackward ? next.reverse() : next;
  };
  if (isDown) {
    const first = isBackward ? target.top : source.bottom + 1;
    const count = isBackward ? source.top - target.top : target.bottom - source.bottom;
    for (let column = source.left; column <= source.right; column += 1) {
      const line = indexes(source.top, source.bottom).map((row) => textOf(row, column));
      const next = continued(line, columns[column]?.type, count);
      next.forEach((text, at) => texts.set(`${first + at} ${column}`, text));
    }
  } else {
    const first = isBackward ? target.left : source.right + 1;
    const count = isBackward ? source.left - target.left : target.right - source.right;
    const types = new Set(indexes(source.left, source.right).map((at) => columns[at]?.type));
    const [type] = types.size === 1 ? types : [];
    for (let row = source.top; row <= source.bottom; row += 1) {
      const line = indexes(source.left, source.right).map((column) => textOf(row, column));
      const next = continued(line, type, count);
      next.forEach((text, at) => texts.set(`${row} ${first + at}`, text));
    }
  }
  return planOf({
    target,
    columns,
    rows,
    textAt: (row, at, column) => {
      const text = texts.get(`${target.top + row} ${target.left + at}`);
      return text !== undefined && column.type === 'multiSelect' ? readChoices(text) : text;
    },
  });
}

/**
 * Returns the box that a double click on the fill handle fills: down to the last of the following
 * rows that have a value in the column at the left or, if there is none, at the right.
 */
export async function fillDownTarget(context: BlockContext, source: Box): Promise<Box> {
  const columns = columnsOf(context);
  const neighbor = columns[source.left - 1] ?? columns[source.right + 1];
  if (!neighbor) return source;
  const room = MAX_CHANGED_ROWS - (source.bottom - source.top + 1);
  const last = Math.min(source.bottom + room, context.api.getDisplayedRowCount() - 1);
  if (last <= source.bottom) return source;
  const below = await rowsOf(context, { ...source, top: source.bottom + 1, bottom: last });
  const hasValue = (row: KnownRow): boolean => copiedText(context, neighbor, row) !== '';
  const end = below.findIndex((row) => !hasValue(row));
  return { ...source, bottom: source.bottom + (end < 0 ? below.length : end) };
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
