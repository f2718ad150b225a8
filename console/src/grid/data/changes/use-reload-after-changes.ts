import { useEffect, useSyncExternalStore } from 'react';
import type { LiveRows } from './live-rows';

/** Time without changes after which values that depend on all rows are loaded again. */
const QUIET_MS = 1_500;

/**
 * Loads what depends on all rows again after they have changed.
 * @param reload The same function until it loads something else.
 */
export function useReloadAfterChanges(live: LiveRows, reload: () => Promise<void>): void {
  const changes = useSyncExternalStore(live.subscribe, live.changes);
  useEffect(() => {
    if (changes.length === 0) return undefined;
    const timer = setTimeout(() => void reload(), QUIET_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [changes, reload]);
}
