import type { Column } from './resources.ts';
import { readFeed } from './feed.ts';
import type { Row, Values } from './row-types.ts';
import type { CallOptions, Transport } from './transport.ts';

const MAX_LIMIT = 1_000;
const MAX_WAIT_SECONDS = 30;
const REQUEST_TIMEOUT_MS = 60_000;

interface Author {
  /** Only with `authors`. */
  readonly changedAt?: string;
  readonly changedBy?: { readonly userId: string; readonly keyId: string | null } | null;
}

/** A change of a datagrid. Ignore one whose `op` you do not know. */
export type Change<V extends object = Values> = Author &
  (
    | { readonly op: 'set'; readonly row: Row<V> }
    | { readonly op: 'delete'; readonly id: number; readonly revision: number }
    | {
        readonly op: 'schema';
        readonly revision: number;
        /** `kept`: columns keep their values, also if their types change. Other words can be added. */
        readonly values?: string;
        readonly columns: readonly (Column & { readonly id: number })[];
      }
  );

/** What identifies a column, and the key of its values. */
type ColumnKey = Pick<Column & { readonly id: number }, 'id' | 'key'>;

/**
 * Returns the values of a row of a copy after a `schema` change: values of columns whose key has changed
 * are under the new key, and those of removed columns are gone. Columns are identified by their `id`, and
 * a new column can have the key of another one.
 * @param before Columns of the copy before the change: those of the previous `schema` change.
 * @param after Columns of the change.
 */
export function movedValues(
  values: Values,
  before: readonly ColumnKey[],
  after: readonly ColumnKey[],
): Values {
  const keys = new Map(after.map(({ id, key }) => [id, key]));
  const moved: Values = {};
  for (const { id, key } of before) {
    const newKey = keys.get(id);
    if (newKey !== undefined && Object.hasOwn(values, key)) moved[newKey] = values[key];
  }
  return moved;
}

/** Changes to apply, and the cursor to store with them. */
export interface ChangePage<V extends object = Values> {
  readonly changes: readonly Change<V>[];
  /** Pass it as `cursor` to continue after this page. */
  readonly cursor: string;
  /** Whether everything has been read. */
  readonly isUpToDate: boolean;
  /**
   * Whether this is the first page from the beginning, because there was no cursor or it has expired.
   * Rows that are not returned until a page is up to date no longer exist.
   */
  readonly isRestart: boolean;
}

export interface ChangeOptions extends CallOptions {
  /** Cursor of the last page that was applied; without it, begins with all rows. */
  readonly cursor?: string | null | undefined;
  /** Rows on a page, up to 1,000, which is the default. */
  readonly limit?: number | undefined;
  /** Seconds that a request waits for a change, up to 30, which is the default. */
  readonly waitSeconds?: number | undefined;
  /** Whether changes have their author. */
  readonly authors?: boolean | undefined;
  /** Whether to wait for further changes after the last one; `true` by default. */
  readonly follow?: boolean | undefined;
}

/**
 * Yields pages of changes. A page without changes has a newer cursor: store it, too, because a cursor
 * expires. With `follow`, ends only with the signal or an error that is not transient:
 * transient ones are retried without a limit, because a copy must survive an outage.
 */
export async function* changesOf<V extends object>(
  transport: Transport,
  path: string,
  options: ChangeOptions,
): AsyncGenerator<ChangePage<V>> {
  const { limit = MAX_LIMIT, waitSeconds = MAX_WAIT_SECONDS, authors, signal } = options;
  const { cursor, follow = true } = options;
  const maxAttempts = options.maxAttempts ?? (follow ? Infinity : undefined);
  const wait = follow ? waitSeconds : undefined;
  const query = { limit, wait, include: authors === true ? 'author' : undefined };
  const timeoutMs = (wait ?? 0) * 1_000 + REQUEST_TIMEOUT_MS;
  const feed = { cursor, query, timeoutMs, follow, signal, maxAttempts };
  for await (const page of readFeed<Change<V>>(transport, `${path}/changes`, feed)) {
    const { items, ...place } = page;
    yield { changes: items, ...place };
  }
}
