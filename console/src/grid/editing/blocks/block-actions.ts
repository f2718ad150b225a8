import type { GridApi } from 'ag-grid-community';
import { isApiError } from '../../../api/api-error';
import type { Column, Datagrid } from '../../../datagrids/datagrid';
import type { RowQuery } from '../../../datagrids/row-query';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { OWN_FORMS } from '../../cells/values/locale-forms';
import { printChoices, readChoices, readForeign } from '../../cells/values/pasted-value';
import { editableValue } from '../../cells/values/shown-value';
import { readRows } from '../../data/loading/row-source';
import { rowsIn, type Box } from '../../table/ranges/cell-range';
import { rangeColumns } from '../../table/ranges/grid-positions';
import type { RangeSelection } from '../../table/ranges/range-selection';
import { NO_STEP, stepsBetween, type Step } from '../undo/undo-stack';
import type { EditStore } from '../unsaved/edit-store';
import { findRejectedCells, MAX_CHANGED_ROWS, writeRows } from './block-write';
import { printTable } from './html-table';
import { planOf, targetOf, withoutRejected, type Plan, type PlanInput } from './paste-plan';
import { parseTsv, printTsv, type Block } from './tsv';

/** Maximum number of rows that are copied at once. Exports have no such limit. */
export const MAX_COPIED_ROWS = 10_000;

/** Thrown for an action that is larger than its limit. The message is for the user. */
export class TooLargeError extends Error {}

export interface BlockContext {
  readonly api: GridApi<KnownRow>;
  readonly datagrid: Datagrid;
  readonly rowQuery: RowQuery;
  readonly edits: EditStore;
  readonly selection: RangeSelection;
}

/** Returns the column at each index of a range; `undefined` for the ids. */
export function columnsOf({ api, datagrid }: BlockContext): (Column | undefined)[] {
  return rangeColumns(api).map((id) => datagrid.columns.find(({ key }) => key === id));
}

/** Returns the rows of a box if all of them are loaded. */
function loadedRows({ api }: BlockContext, { top, bottom }: Box): KnownRow[] | undefined {
  const rows: KnownRow[] = [];
  for (let index = top; index <= Math.min(bottom, api.getDisplayedRowCount() - 1); index += 1) {
    const row = api.getDisplayedRowAtIndex(index)?.data;
    if (!row) return undefined;
    rows.push(row);
  }
  return rows;
}

/** Returns the rows of a box, and loads those that are missing. */
export async function rowsOf(context: BlockContext, box: Box): Promise<readonly KnownRow[]> {
  const loaded = loadedRows(context, box);
  if (loaded) return loaded;
  const { datagrid, rowQuery } = context;
  return readRows(datagrid.id, rowQuery, box.top, box.bottom);
}

/** What goes to the clipboard. */
export interface Copied {
  readonly text: string;
  readonly html: string;
}

/** Returns the selected cells, at once if their rows are loaded. */
export function copyOf(context: BlockContext): Copied | Promise<Copied> | undefined {
  const box = context.selection.box();
  if (!box) return undefined;
  if (rowsIn(box) > MAX_COPIED_ROWS) {
    const most = MAX_COPIED_ROWS.toLocaleString();
    throw new TooLargeError(gridText.blocks.tooManyCopied(most));
  }
  const loaded = loadedRows(context, box);
  if (loaded) return printRows(context, box, loaded);
  return rowsOf(context, box).then((rows) => printRows(context, box, rows));
}

function printRows(context: BlockContext, box: Box, rows: readonly KnownRow[]): Copied {
  const columns = columnsOf(context).slice(box.left, box.right + 1);
  const block = rows.map((row) =>
    columns.map((column) => (column ? copiedText(context, column, row) : String(row.id))),
  );
  return { text: printTsv(block), html: printTable(block) };
}

/** Returns the text of a cell as it is copied. */
export function copiedText({ edits }: BlockContext, column: Column, row: KnownRow): string {
  const typed =
    edits.cell(row.id, column.key)?.typed ?? editableValue(column, row.values[column.key]);
  return column.type === 'multiSelect' ? printChoices(typed) : typed;
}

/** Returns what a paste changes. */
export async function planPaste(
  context: BlockContext,
  selected: Box,
  text: string,
  isOwn: boolean,
): Promise<Plan> {
  const block: Block = parseTsv(text);
  return planWithin(context, targetOf(block, selected), textsOf(block, isOwn));
}

/** Returns what a paste into the last line changes: all of its rows are created. */
export function planNewRows(context: BlockContext, start: Box, text: string, isOwn: boolean): Plan {
  const block: Block = parseTsv(text);
  const target = targetOf(block, start);
  checkSize(target);
  return planOf({ target, columns: columnsOf(context), rows: [], ...textsOf(block, isOwn) });
}

/** Returns what a block has for each cell of its target. */
function textsOf(block: Block, isOwn: boolean): Required<Pick<PlanInput, 'textAt' | 'rawAt'>> {
  const width = Math.max(...block.map((cells) => cells.length));
  const rawAt = (row: number, at: number): string | undefined =>
    block[row % block.length]?.[at % width];
  return {
    rawAt,
    textAt: (row, at, column) => {
      const raw = rawAt(row, at);
      if (raw === undefined) return undefined;
      if (column.type === 'multiSelect') return readChoices(raw);
      return isOwn ? raw : readForeign(column, raw, OWN_FORMS);
    },
  };
}

/** Returns what changes if all cells of a box get the values of the first row or column. */
export async function planFill(
  context: BlockContext,
  box: Box,
  direction: 'down' | 'right',
): Promise<Plan> {
  const columns = columnsOf(context);
  const rows = await rowsWithin(context, box);
  return planOf({
    target: box,
    columns,
    rows,
    textAt: (row, _at, column) => {
      const source = direction === 'down' ? rows[0] : rows[row];
      const from = direction === 'down' ? column : columns[box.left];
      if (!source || !from) return undefined;
      const typed = copiedText(context, from, source);
      return column.type === 'multiSelect' ? readChoices(typed) : typed;
    },
  });
}

/** Returns what changes if the cells of a box become empty. */
export async function planClear(context: BlockContext, box: Box): Promise<Plan> {
  return planWithin(context, box, { textAt: () => '' });
}

async function planWithin(
  context: BlockContext,
  target: Box,
  texts: Pick<PlanInput, 'textAt' | 'rawAt'>,
): Promise<Plan> {
  const rows = await rowsWithin(context, target);
  return planOf({ target, columns: columnsOf(context), rows, ...texts });
}

/** @throws TooLargeError for more rows than can be changed at once. */
export async function rowsWithin(context: BlockContext, box: Box): Promise<readonly KnownRow[]> {
  checkSize(box);
  return rowsOf(context, box);
}

/** @throws TooLargeError for more rows than can be changed at once. */
function checkSize(box: Box): void {
  if (rowsIn(box) <= MAX_CHANGED_ROWS) return;
  const [count, most] = [rowsIn(box), MAX_CHANGED_ROWS].map((rows) => rows.toLocaleString());
  throw new TooLargeError(gridText.blocks.tooManyChanged(count ?? '', most ?? ''));
}

/** Outcome of a plan: what was changed, or what must be decided first. */
export type Applied =
  | { readonly kind: 'done'; readonly step: Step; readonly rows: readonly KnownRow[] }
  | { readonly kind: 'rejected'; readonly plan: Plan };

/** Writes a plan in one batch. If the service rejects a value, nothing is written. */
export async function applyPlan(context: BlockContext, name: string, plan: Plan): Promise<Applied> {
  const { datagrid } = context;
  const { changes } = plan;
  if (changes.length === 0) return { kind: 'done', step: { ...NO_STEP, name }, rows: [] };
  const schemaVersion = changes.find(({ row }) => row)?.row?.schemaVersion ?? 0;
  try {
    const rows = await writeRows(datagrid.id, changes, schemaVersion);
    const cells = changes.flatMap(({ row, values }, at) => {
      const after = rows[at];
      return row && after ? stepsBetween(row, after, values.keys()) : [];
    });
    const created = rows.filter((_, at) => changes[at]?.row === null);
    return { kind: 'done', step: { ...NO_STEP, name, cells, created }, rows };
  } catch (error) {
    if (!isApiError(error) || ![400, 409].includes(error.status)) throw error;
    const reviewed = await reviewOf(context, plan);
    if (reviewed === plan) throw error;
    return { kind: 'rejected', plan: reviewed };
  }
}

/** Returns a plan without the values that the service would reject, and the same plan if it takes all. */
export async function reviewOf(context: BlockContext, plan: Plan): Promise<Plan> {
  if (plan.changes.length === 0) return plan;
  const rejected = await findRejectedCells(context.datagrid.id, plan.changes);
  return rejected.length === 0 ? plan : withoutRejected(plan, rejected, columnsOf(context));
}
