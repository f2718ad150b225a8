import { isApiError } from '../../../api/api-error';
import { dataRequest } from '../../../api/data';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { FeedItem } from './change';

/** Clients ignore items of other kinds. */
const KNOWN: ReadonlySet<string> = new Set<FeedItem['op']>(['set', 'delete', 'schema']);

const PAGE_ROWS = 200;
/** Pages to read at once. A reader that is further behind skips the changes. */
const MAX_PAGES = 5;
/** Time for which the server waits for a change, in seconds. */
const WAIT_SECONDS = 25;
const TIMEOUT_MS = 60_000;
/** Pause after a page, so that a busy datagrid costs one request per second. */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export interface FeedEvents {
  readonly onItems: (items: readonly FeedItem[]) => void;
  /** Some changes are not known, because there were too many or the reader was away too long. */
  readonly onSkipped: () => void;
}

/**
 * Reads the changes of a datagrid from now on, until the signal aborts or the datagrid or the session
 * is gone. Reads nothing while the page is hidden: a browser has few connections to a server, and
 * each reader uses one.
 */
export async function followChanges(
  datagridId: string,
  { onItems, onSkipped }: FeedEvents,
  signal: AbortSignal,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let cursor = 'latest';
  let [pages, failures] = [0, 0];
  while (!isOver()) {
    await untilVisible(signal);
    const hidden = new AbortController();
    const stop = (): void => {
      hidden.abort();
    };
    document.addEventListener('visibilitychange', stop);
    try {
      const { data, meta } = await dataRequest<readonly FeedItem[]>(
        'GET',
        `${datagridPath(datagridId)}/changes`,
        {
          query: {
            cursor,
            include: 'author',
            limit: PAGE_ROWS,
            wait: cursor === 'latest' ? 0 : WAIT_SECONDS,
          },
          timeoutMs: TIMEOUT_MS,
          // A form with input stays on the screen until the user's next action.
          isSessionQuiet: true,
          signal: AbortSignal.any([signal, hidden.signal]),
        },
      );
      failures = 0;
      if (isOver()) return;
      const known = data.filter(({ op }) => KNOWN.has(op));
      if (known.length > 0) onItems(known);
      cursor = meta?.nextCursor ?? 'latest';
      pages = meta?.upToDate === false ? pages + 1 : 0;
      if (pages === MAX_PAGES) {
        [cursor, pages] = ['latest', 0];
        onSkipped();
      }
      if (data.length > 0 && pages === 0) await pause(PAUSE_MS, signal);
    } catch (error) {
      if (hidden.signal.aborted) continue;
      const waitMs = pauseAfter(error, failures);
      if (waitMs === undefined) return;
      if (isApiError(error, 'cursor_expired')) {
        cursor = 'latest';
        onSkipped();
      }
      failures += 1;
      await pause(waitMs, signal);
    } finally {
      document.removeEventListener('visibilitychange', stop);
    }
  }
}

/** Returns the time to wait after an error; undefined if a repetition would not help. */
export function pauseAfter(error: unknown, failures: number): number | undefined {
  if (!isApiError(error)) return undefined;
  if (error.code === 'cursor_expired') return PAUSE_MS;
  if (!error.isOutage && error.status !== 429 && error.status < 500) return undefined;
  const waitMs = Math.min(PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
  return Math.max(waitMs, (error.retryAfterSeconds ?? 0) * 1_000);
}

async function untilVisible(signal: AbortSignal): Promise<void> {
  while (document.visibilityState === 'hidden' && !signal.aborted) {
    await new Promise<void>((resolve) => {
      document.addEventListener(
        'visibilitychange',
        () => {
          resolve();
        },
        { once: true },
      );
    });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
