import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, type RefObject } from 'react';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { focusLastCell } from '../../table/focus/focus-cell';
import { undoActionOf } from '../../table/ranges/undo-keys';
import type { BlockContext } from '../blocks/block-actions';
import { revert } from './undo-actions';
import { hideUndoNote, showUndoNote } from './undo-note';
import type { Direction, Step, UndoStack } from './undo-stack';

export interface UndoInput {
  readonly root: RefObject<HTMLElement | null>;
  readonly context: BlockContext | undefined;
  readonly stack: UndoStack;
  /** Runs an action after all earlier ones, and shows why it failed. */
  readonly attempt: (work: () => Promise<void>) => void;
  readonly show: (before: readonly KnownRow[], rows: readonly KnownRow[]) => void;
  /** @param rows Number of rows that were added; negative if rows were deleted. */
  readonly refresh: (rows: number) => void;
}

/** Undoes and redoes the actions of a stack, with keys on the whole page, a message and a menu. */
export function useUndo(input: UndoInput): Readonly<Record<Direction, () => void>> {
  const { root, context, stack, attempt, show, refresh } = input;
  const reverse = async ({ api, datagrid }: BlockContext, step: Step): Promise<Step> => {
    const reverted = await revert(datagrid.id, step, (id) => api.getRowNode(String(id))?.data);
    show(reverted.before, reverted.rows);
    if (reverted.hasMoved) refresh(reverted.step.created.length - reverted.step.deleted.length);
    if (reverted.kept > 0) {
      notifications.show({
        color: 'yellow',
        message: gridText.blocks.notUndone,
      });
    }
    return reverted.step;
  };
  const undo = async (one?: Step): Promise<void> => {
    await context?.edits.settled();
    const step = stack.takeUndo(one);
    if (!step || !context) return;
    try {
      const undone = await reverse(context, step);
      stack.pushUndone(undone);
      hideUndoNote(step);
      const restored = step.deleted.length > 0 ? undone.created.length : 0;
      if (restored > 0) notifications.show({ message: gridText.rowTrash.restored(restored) });
    } catch (error) {
      stack.pushDone(step);
      throw error;
    }
  };
  const redo = async (): Promise<void> => {
    const step = stack.takeRedo();
    if (!step || !context) return;
    try {
      stack.pushDone(await reverse(context, step));
    } catch (error) {
      stack.pushUndone(step);
      throw error;
    }
  };
  const actions = {
    undo: (): void => {
      attempt(() => undo());
    },
    redo: (): void => {
      attempt(redo);
    },
  };

  const offer = useEffectEvent((step: Step) => {
    showUndoNote(step, () => {
      // The button, which has the focus, goes.
      if (context) focusLastCell(context.api);
      attempt(() => undo(step));
    });
  });
  useEffect(
    () =>
      stack.subscribe((step) => {
        offer(step);
      }),
    [stack],
  );
  const act = useEffectEvent((action: Direction) => {
    actions[action]();
  });
  useEffect(
    () =>
      stack.followRequests((direction) => {
        act(direction);
      }),
    [stack],
  );
  useEffect(() => {
    const grid = root.current;
    if (!grid) return undefined;
    return followUndoKeys(grid, (action) => {
      act(action);
    });
  }, [root]);
  return actions;
}

/** Keys that undo and redo actions while the focus is outside the grid, which has keys of its own. */
function followUndoKeys(grid: HTMLElement, act: (action: Direction) => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const action = isElsewhere(grid, event) ? undefined : undoActionOf(event);
    if (!action) return;
    event.preventDefault();
    act(action);
  };
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('keydown', onKey);
  };
}

/** Whether a key is for a field or a dialog, or for the grid. */
function isElsewhere(grid: HTMLElement, { target }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || grid.contains(target)) return true;
  return target.closest('input, textarea, select, [role="dialog"]') !== null;
}
