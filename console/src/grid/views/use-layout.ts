import { useMemo, useSyncExternalStore } from 'react';
import { readStored, store } from '../../common/browser-storage';
import type { Column } from '../../datagrids/datagrid';
import { currentKey } from '../../datagrids/previous-key';
import {
  completeLayout,
  isSameLayout,
  parseLayout,
  type Layout,
  type LayoutColumn,
} from '../table/columns/layout';
import type { SavedView } from './saved-view';

export interface LayoutState {
  /** All columns in the order of display. */
  readonly layout: readonly LayoutColumn[];
  /** Whether the layout differs from that of the view. */
  readonly isChanged: boolean;
  readonly arrange: (layout: Layout) => void;
  /** Returns to the layout of the view, or to that of the datagrid. */
  readonly reset: () => void;
}

/**
 * The layout of a grid. Without a view, the browser keeps it for the user. With a view, the browser
 * keeps what was changed and not saved.
 */
export function useLayout(
  userId: string,
  datagridId: string,
  columns: readonly Column[],
  view: SavedView | undefined,
): LayoutState {
  const name = `layout:${userId}:${datagridId}:${view?.id ?? ''}`;
  const text = useSyncExternalStore(subscribe, () => read(name));
  return useMemo(() => {
    const keys = columns.map(({ key }) => key);
    const saved = view?.columns ?? [];
    // The browser may have stored it before a key has changed.
    const own = parseLayout(text)?.map((one) => ({ ...one, key: currentKey(columns, one.key) }));
    return {
      layout: completeLayout(own ?? saved, keys),
      isChanged: own !== undefined && !isSameLayout(own, saved, keys),
      arrange: (layout: Layout) => {
        write(name, isSameLayout(layout, saved, keys) ? null : JSON.stringify(layout));
      },
      reset: () => {
        write(name, null);
      },
    };
  }, [name, text, columns, view]);
}

const listeners = new Set<() => void>();
/** Layouts that the browser does not store, such as in a private window. */
const unstored = new Map<string, string>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function read(name: string): string | null {
  return unstored.get(name) ?? readStored(name);
}

function write(name: string, text: string | null): void {
  unstored.delete(name);
  if (!store(name, text) && text !== null) unstored.set(name, text);
  for (const listener of listeners) listener();
}
