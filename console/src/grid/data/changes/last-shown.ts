import type { Row } from '../../../datagrids/datagrid';
import { isSame, type Author, type FeedItem } from './change';

/** How long a change of others stays announced, in milliseconds. */
export const SHOWN_MS = 6_000;

/** Changes of one author that the grid has just shown. */
export interface ShownChange {
  /** The last row and its changed columns. */
  readonly rowId: number;
  readonly revision: number;
  readonly keys: readonly string[];
  /** Number of changed rows. */
  readonly rows: number;
  /** Undefined if it is not known yet. */
  readonly by: Author | null | undefined;
}

/** Keeps the last changes of others for some seconds. Changes of the same author are counted. */
export class LastShown {
  private change: ShownChange | undefined;
  private readonly rowIds = new Set<number>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onExpired: () => void) {}

  /** Returns the same object until there is another change. */
  readonly get = (): ShownChange | undefined => this.change;

  /** @param keys Keys of the changed columns. */
  add({ row, changedBy: by }: FeedItem & { op: 'set' }, keys: readonly string[]): void {
    if (JSON.stringify(by) !== JSON.stringify(this.change?.by)) this.rowIds.clear();
    this.rowIds.add(row.id);
    const { id: rowId, revision } = row;
    this.change = { rowId, revision, keys, rows: this.rowIds.size, by };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.change = undefined;
      this.rowIds.clear();
      this.onExpired();
    }, SHOWN_MS);
  }

  /** Adds the author of a change that came without it before. */
  complete({ row, changedBy: by }: FeedItem & { op: 'set' }): void {
    const { change } = this;
    if (!change || change.by !== undefined || by === undefined) return;
    if (change.rowId === row.id && change.revision === row.revision)
      this.change = { ...change, by };
  }
}

/** Returns the keys of the values that differ. */
export function changedKeys(before: Row['values'], after: Row['values']): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isSame(before[key], after[key]));
}
