import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, useState, type ReactNode, type RefObject } from 'react';
import { messageOf } from '../../../api/api-error';
import { withComputed } from '../../../datagrids/stored-columns';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import type { LiveRows } from '../../data/changes/live-rows';
import { boxOf, type Box } from '../../table/ranges/cell-range';
import type { FillActions } from '../../table/ranges/fill-handle';
import { focusedPosition, newRowPosition } from '../../table/ranges/grid-positions';
import { NO_STEP, stepsBetween, type UndoStack } from '../undo/undo-stack';
import { useUndo } from '../undo/use-undo';
import { ActionQueue } from './action-queue';
import {
  applyPlan,
  copyOf,
  planClear,
  planFill,
  planNewRows,
  planPaste,
  reviewOf,
  type BlockContext,
  type Copied,
} from './block-actions';
import { isOwnTable, parseTable } from './html-table';
import { PasteDialog } from './paste-dialog';
import type { Plan } from './paste-plan';
import { fillDownTarget, planSeries } from './plan-series';
import { printTsv } from './tsv';

const t = gridText.blocks;

/** Actions on blocks of cells. */
export interface Blocks {
  readonly clear: () => void;
  readonly fill: (direction: 'down' | 'right') => void;
  readonly fillTo: FillActions['fillTo'];
  readonly fillDown: FillActions['fillDown'];
  readonly undo: () => void;
  readonly redo: () => void;
  /** Dialog of the last action, if it needs a decision. */
  readonly dialog: ReactNode;
}

/** Returns what an action on a box of cells changes. */
type Making = (context: BlockContext, box: Box) => Plan | Promise<Plan>;

/** Copies, pastes, clears, fills, and undoes these. */
export function useBlocks(
  root: RefObject<HTMLElement | null>,
  context: BlockContext | undefined,
  live: LiveRows,
  stack: UndoStack,
  mayEdit: boolean,
): Blocks {
  const [queue] = useState(() => new ActionQueue());
  const [review, setReview] = useState<{ readonly name: string; readonly plan: Plan }>();

  const show = (before: readonly KnownRow[], rows: readonly KnownRow[]): void => {
    for (const row of rows) {
      const node = context?.api.getRowNode(String(row.id));
      const old = before.find(({ id }) => id === row.id) ?? node?.data;
      if (old) live.save(old, row);
      const { columns = [] } = context?.datagrid ?? {};
      node?.setData({ ...row, values: withComputed(columns, node.data?.values, row.values) });
    }
  };
  const refresh = (rows: number): void => {
    if (!context) return;
    const { api } = context;
    if (rows !== 0) api.setRowCount(Math.max(1, api.getDisplayedRowCount() + rows), true);
    live.reload();
    api.refreshInfiniteCache();
  };

  const attempt = (work: () => Promise<void>): void => {
    queue.run(() => live.during(work)).catch(tell);
  };
  const { undo, redo } = useUndo({ root, context, stack, attempt, show, refresh });

  const apply = async (name: string, plan: Plan): Promise<void> => {
    if (!context) return;
    const applied = await applyPlan(context, name, plan);
    if (applied.kind === 'rejected') {
      setReview({ name, plan: applied.plan });
      return;
    }
    const { step, rows } = applied;
    show(
      plan.changes.flatMap(({ row }) => (row ? [row] : [])),
      rows,
    );
    if (step.created.length > 0) refresh(step.created.length);
    if (step.cells.length + step.created.length > 0) stack.announce(step);
    else if (name === t.paste) notifications.show({ message: t.nothingPasted });
  };
  const start = async (name: string, making: Making, box: Box): Promise<void> => {
    if (!context) return;
    const plan = await making(context, box);
    // One dialog has all problems, also those that only the service finds.
    if (plan.problems.length > 0) setReview({ name, plan: await reviewOf(context, plan) });
    else await apply(name, plan);
  };
  /** Starts an action on the cells that are selected now. */
  const attemptOn = (name: string, making: Making): void => {
    const box = context?.selection.box();
    if (box) attempt(() => start(name, making, box));
  };

  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    if (!context || !isOnCell(context, event)) return;
    event.preventDefault();
    try {
      const copied = copyOf(context);
      const range = context.selection.current();
      const isCut = event.type === 'cut' && mayEdit;
      const finish = async (): Promise<void> => {
        if (isCut && range) await start(t.cut, planClear, boxOf(range));
        else context.selection.markCopied(range);
      };
      // Values are cleared only after they are in the clipboard.
      if (copied instanceof Promise) attempt(() => copied.then(writeClipboard).then(finish));
      else if (copied) {
        event.clipboardData?.setData('text/plain', copied.text);
        event.clipboardData?.setData('text/html', copied.html);
        attempt(finish);
      }
    } catch (error) {
      tell(error);
    }
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!context || !mayEdit) return;
    const html = event.clipboardData?.getData('text/html') ?? '';
    const plain = event.clipboardData?.getData('text/plain') ?? '';
    const text = plain === '' ? printTsv(parseTable(html) ?? []) : plain;
    const isOwn = isOwnTable(html);
    const newRow = newRowFor(context, event, text);
    if (newRow) {
      event.preventDefault();
      context.api.stopEditing(true);
      attempt(() => start(t.paste, (on, box) => planNewRows(on, box, text, isOwn), newRow));
      return;
    }
    if (!isOnCell(context, event)) return;
    event.preventDefault();
    if (text !== '') attemptOn(t.paste, (on, box) => planPaste(on, box, text, isOwn));
  });
  const record = useEffectEvent((before: KnownRow, after: KnownRow, keys: readonly string[]) => {
    stack.push({ ...NO_STEP, name: t.edit, cells: stepsBetween(before, after, keys) });
  });

  const edits = context?.edits;
  useEffect(
    () =>
      edits?.subscribe((_rowId, saved, attempt) => {
        if (saved && attempt) record(attempt.base, saved, [...attempt.values.keys()]);
      }),
    [edits],
  );
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const listeners = [
      [
        'copy',
        (event: ClipboardEvent): void => {
          onCopy(event);
        },
      ],
      [
        'cut',
        (event: ClipboardEvent): void => {
          onCopy(event);
        },
      ],
      [
        'paste',
        (event: ClipboardEvent): void => {
          onPaste(event);
        },
      ],
    ] as const;
    for (const [type, listener] of listeners) element.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of listeners) element.removeEventListener(type, listener);
    };
  }, [root]);

  const close = (): void => {
    setReview(undefined);
  };
  return {
    clear: () => {
      attemptOn(t.clear, planClear);
    },
    fill: (direction) => {
      attemptOn(t.fill, (on, box) => planFill(on, box, direction));
    },
    fillTo: (source, target, isCopy) => {
      const series: Making = (on) => planSeries(on, { source, target, isCopy });
      attempt(() => start(t.fill, series, target));
    },
    fillDown: (source) => {
      attempt(async () => {
        if (!context) return;
        const target = await fillDownTarget(context, source);
        context.selection.set({
          anchor: { row: target.top, column: target.left },
          head: { row: target.bottom, column: target.right },
        });
        const series: Making = (on) => planSeries(on, { source, target, isCopy: false });
        await start(t.fill, series, target);
      });
    },
    undo,
    redo,
    dialog: review && (
      <PasteDialog
        plan={review.plan}
        onClose={close}
        onApply={() => {
          close();
          attempt(() => apply(review.name, { ...review.plan, problems: [] }));
        }}
      />
    ),
  };
}

/** Whether a clipboard event is for cells and not for an editor. */
function isOnCell({ api }: BlockContext, { target }: ClipboardEvent): boolean {
  const isField = target instanceof Element && target.matches('input, textarea, select');
  return !isField && api.getEditingCells().length === 0 && focusedPosition(api) !== undefined;
}

/**
 * Returns the cell of the last line that a text is pasted into as new rows; undefined if there is none.
 * An open editor takes the text itself, unless it is empty and the text has several cells.
 */
function newRowFor(
  { api }: BlockContext,
  { target }: ClipboardEvent,
  text: string,
): Box | undefined {
  const at = newRowPosition(api);
  if (!at || text === '') return undefined;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    const isBlock = /[\t\n]/.test(text.trimEnd());
    if (!isBlock || target.value !== '' || !target.closest('.ag-cell')) return undefined;
  } else if (api.getEditingCells().length > 0) return undefined;
  return boxOf({ anchor: at, head: at });
}

/** Writes rows that had to be loaded first, after the event. Needs HTTPS or localhost. */
async function writeClipboard({ text, html }: Copied): Promise<void> {
  const types = { 'text/plain': text, 'text/html': html };
  const items = Object.entries(types).map(([type, part]) => [type, new Blob([part], { type })]);
  await navigator.clipboard.write([
    new ClipboardItem(Object.fromEntries(items) as Record<string, Blob>),
  ]);
}

function tell(error: unknown): void {
  notifications.show({
    color: 'red',
    title: t.failed,
    message: messageOf(error),
    autoClose: 10_000,
  });
}
