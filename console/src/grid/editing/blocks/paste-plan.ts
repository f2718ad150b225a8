import { isReadOnly } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { editableValue } from '../../cells/values/shown-value';
import { typedJson } from '../../cells/values/typed-value';
import type { Box } from '../../table/ranges/cell-range';
import { jsonText } from '../undo/undo-stack';
import type { RejectedCell, RowChange } from './block-write';
import type { Block } from './tsv';

const t = gridText.paste;

/** Returns the edges of the cells that a block is pasted into: the selection, if it is a multiple. */
export function targetOf(block: Block, selection: Box): Box {
  const rows = block.length;
  const columns = Math.max(...block.map((cells) => cells.length));
  const { top, bottom, left, right } = selection;
  const isFilled = (bottom - top + 1) % rows === 0 && (right - left + 1) % columns === 0;
  return {
    top,
    left,
    bottom: isFilled ? bottom : top + rows - 1,
    right: isFilled ? right : left + columns - 1,
  };
}

/** A value that cannot be pasted, and why. */
export interface Problem {
  /** Number of the row in the grid, from 1. */
  readonly row: number;
  readonly title: string;
  readonly text: string;
  readonly message: string;
}

/** Values of a column that cannot be pasted for the same reason. */
export interface ProblemGroup extends Pick<Problem, 'title' | 'message'> {
  /** Numbers of the rows in the grid, from 1. */
  readonly rows: readonly number[];
  /** Different values, in the order of the rows. */
  readonly texts: readonly string[];
}

const NO_ROWS: Pick<ProblemGroup, 'rows' | 'texts'> = { rows: [], texts: [] };

/** Returns the problems with one group for those that have the same column and reason. */
export function groupsOf(problems: readonly Problem[]): readonly ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  for (const { row, title, text, message } of problems) {
    const name = JSON.stringify([title, message]);
    const { rows, texts } = groups.get(name) ?? NO_ROWS;
    groups.set(name, {
      title,
      message,
      rows: [...rows, row],
      texts: texts.includes(text) ? texts : [...texts, text],
    });
  }
  return [...groups.values()];
}

export interface Plan {
  readonly changes: readonly RowChange[];
  /** Number of the row in the grid of each change, from 1. */
  readonly rowNumbers: readonly number[];
  readonly problems: readonly Problem[];
}

export interface PlanInput {
  readonly target: Box;
  /** Column of each index, or `undefined` if its values cannot be changed. */
  readonly columns: readonly (Column | undefined)[];
  /** Rows of the target that exist. Others are created. */
  readonly rows: readonly KnownRow[];
  /** Text of a cell as typed here, by its place in the target, or `undefined` to leave it. */
  readonly textAt: (row: number, column: number, of: Column) => string | undefined;
  /** Text in a column that cannot be changed, by its place in the target. */
  readonly rawAt?: (row: number, column: number) => string | undefined;
}

/** Returns the values that differ from those of the rows. Nothing is written. */
export function planOf({ target, columns, rows, textAt, rawAt }: PlanInput): Plan {
  const changes: RowChange[] = [];
  const rowNumbers: number[] = [];
  const problems: Problem[] = [];
  for (let row = 0; row <= target.bottom - target.top; row += 1) {
    const known = rows[row] ?? null;
    const number = target.top + row + 1;
    const values = new Map<string, string>();
    for (let at = 0; at <= target.right - target.left; at += 1) {
      const column = columns[target.left + at];
      if (!column) {
        const text = rawAt?.(row, at) ?? '';
        if (text !== '' && text !== String(known?.id)) {
          const isId = target.left + at === columns.length - 1;
          const title = isId ? gridText.columns.id : t.numberedColumn(target.left + at + 1);
          const message = isId ? t.readOnlyId : t.noColumn;
          problems.push({ row: number, title, text, message });
        }
        continue;
      }
      if (isReadOnly(column.type)) {
        const text = (rawAt ? rawAt(row, at) : textAt(row, at, column)) ?? '';
        if (text !== '' && text !== (known ? editableValue(column, known.values[column.key]) : ''))
          problems.push({ row: number, title: column.title, text, message: t.readOnly });
        continue;
      }
      const text = textAt(row, at, column);
      if (text === undefined) continue;
      const before = known ? editableValue(column, known.values[column.key]) : '';
      if (text === before) continue;
      const typed = typedJson(column, text);
      if (!typed.ok) {
        problems.push({ row: number, title: column.title, text, message: typed.message });
      } else if (!known || typed.json !== jsonText(known.values[column.key])) {
        values.set(column.key, typed.json);
      }
    }
    if (values.size > 0 || !known) {
      changes.push({ row: known, values });
      rowNumbers.push(number);
    }
  }
  return { changes, rowNumbers, problems };
}

/** Returns the plan without the values that the service would reject, which become problems. */
export function withoutRejected(
  plan: Plan,
  rejected: readonly RejectedCell[],
  columns: readonly (Column | undefined)[],
): Plan {
  const problems = rejected.map(({ at, key, message }): Problem => {
    const column = columns.find((one) => one?.key === key);
    const json = (key === null ? undefined : plan.changes[at]?.values.get(key)) ?? '';
    const isText = json.startsWith('"') && column?.type !== 'json';
    const text = isText ? (JSON.parse(json) as string) : json;
    return { row: plan.rowNumbers[at] ?? 0, title: column?.title ?? t.wholeRow, text, message };
  });
  const kept = plan.changes.map((change, at) => {
    const own = rejected.filter((cell) => cell.at === at);
    // A row cannot be created without a required value, nor at all if it was rejected as a whole.
    const isOut = own.some(({ key }) => key === null || !change.values.has(key));
    const keys = new Set(own.map(({ key }) => key));
    const values = new Map([...change.values].filter(([key]) => !keys.has(key)));
    return isOut || values.size === 0 ? null : { ...change, values };
  });
  return {
    changes: kept.filter((change) => change !== null),
    rowNumbers: plan.rowNumbers.filter((_, at) => kept[at] !== null),
    problems: [...plan.problems, ...problems],
  };
}
