/** A cell by the index of its row and of its column, both from 0. */
export interface Position {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells. The anchor stays when the range is extended, and the head moves. */
export interface CellRange {
  readonly anchor: Position;
  readonly head: Position;
}

/** The edges of a range, inclusive. */
export interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Number of rows and columns in which a position can move. */
export interface Bounds {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows on the screen. */
  readonly pageRows: number;
}

export function boxOf({ anchor, head }: CellRange): Box {
  return {
    top: Math.min(anchor.row, head.row),
    bottom: Math.max(anchor.row, head.row),
    left: Math.min(anchor.column, head.column),
    right: Math.max(anchor.column, head.column),
  };
}

/** Returns the range without the column of the ids, unless it starts there: nobody changes ids. */
export function withoutIds({ anchor, head }: CellRange, idColumn: number): CellRange {
  const isBeyond = anchor.column < idColumn && head.column >= idColumn;
  return { anchor, head: isBeyond ? { ...head, column: idColumn - 1 } : head };
}

export function contains(box: Box, { row, column }: Position): boolean {
  return row >= box.top && row <= box.bottom && column >= box.left && column <= box.right;
}

export function isSamePosition(one: Position, other: Position): boolean {
  return one.row === other.row && one.column === other.column;
}

/** Returns the edges of the box at which a cell of it lies, such as `tl` for its first cell. */
export function edgesOf(box: Box, { row, column }: Position): string {
  const edges = [
    row === box.top && 't',
    column === box.right && 'r',
    row === box.bottom && 'b',
    column === box.left && 'l',
  ];
  return edges.filter((edge) => edge !== false).join('');
}

export function rowsIn({ top, bottom }: Box): number {
  return bottom - top + 1;
}

export function columnsIn({ left, right }: Box): number {
  return right - left + 1;
}

/**
 * Returns the position to which a key moves, within the bounds, or `undefined` if the key does not
 * move or there are no cells. With Ctrl, arrows move to the last cell in their direction, and Home and End to the first
 * and the last row.
 */
export function moved(
  key: string,
  isCtrl: boolean,
  { row, column }: Position,
  { rows, columns, pageRows }: Bounds,
): Position | undefined {
  if (rows === 0 || columns === 0) return undefined;
  const to = (nextRow: number, nextColumn: number): Position => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  const far = isCtrl ? Infinity : 1;
  switch (key) {
    case 'ArrowUp':
      return to(row - far, column);
    case 'ArrowDown':
      return to(row + far, column);
    case 'ArrowLeft':
      return to(row, column - far);
    case 'ArrowRight':
      return to(row, column + far);
    case 'Home':
      return isCtrl ? to(0, column) : to(row, 0);
    case 'End':
      return isCtrl ? to(rows - 1, column) : to(row, columns - 1);
    case 'PageUp':
      return to(row - pageRows, column);
    case 'PageDown':
      return to(row + pageRows, column);
    default:
      return undefined;
  }
}

/**
 * Returns the position to which a key with Shift moves the head of a range. With Ctrl, Home and End
 * move to the first and the last cell of the grid.
 */
export function extended(
  key: string,
  isCtrl: boolean,
  head: Position,
  bounds: Bounds,
): Position | undefined {
  const to = moved(key, isCtrl, head, bounds);
  if (!to || !isCtrl || (key !== 'Home' && key !== 'End')) return to;
  return { ...to, column: key === 'Home' ? 0 : Math.max(0, bounds.columns - 1) };
}

/** Returns the cell to which Tab moves, or `undefined` at the end of the grid. */
export function tabbed(
  isBack: boolean,
  { row, column }: Position,
  { rows, columns }: Bounds,
): Position | undefined {
  const next = row * columns + column + (isBack ? -1 : 1);
  if (next < 0 || next >= rows * columns) return undefined;
  return { row: Math.floor(next / columns), column: next % columns };
}
