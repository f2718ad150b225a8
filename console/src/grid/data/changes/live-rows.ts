import { isLink } from '../../../datagrids/column-type';
import type { Column, Row } from '../../../datagrids/datagrid';
import { withComputed } from '../../../datagrids/stored-columns';
import type { KnownRow } from '../../cells/known-row';
import { isSame, listedChange, type FeedItem, type ListedChange } from './change';
import { changedKeys, LastShown } from './last-shown';
import { UP_TO_DATE, type ColumnsChange, type Outdated } from './outdated';

/** The rows that the grid has loaded. */
export interface LoadedRows {
  find(rowId: number): KnownRow | undefined;
  /** Whether the user edits the row. */
  isEdited(rowId: number): boolean;
  /** @param keys Keys of the columns whose values have changed. */
  update(row: KnownRow, keys: readonly string[]): void;
}

const MAX_LISTED = 200;
const MAX_KEPT = 5_000;
/** Changes of the user's own arrive before the grid has loaded them. They must not flash. */
const DELAY_MS = 1_000;
/** Difference between the clocks of the server and of its database that must not matter. */
const CLOCK_MS = 5_000;

/**
 * Applies changes of others to the grid: updates the values of loaded rows, and collects the changes
 * that need a refresh, because they move rows. A row that the user edits is updated after the edit,
 * which is compared with the version that the user has seen.
 */
export class LiveRows {
  /** Revisions of the rows that need a refresh. */
  private readonly moved = new Map<number, number>();
  /** Changes of rows that the user edits. */
  private readonly postponed = new Map<number, (FeedItem & { op: 'set' })[]>();
  /** The last states of changed rows. Rows that are being loaded may be older. */
  private readonly newest = new Map<number, Row>();
  /** Values before the last edits of the user, by the key of the change. */
  private readonly own = new Map<string, Row['values']>();
  /** Rows as they were before the last edits of the user, with the changes of others since then. */
  private readonly beforeEdits = new Map<number, Pick<Row, 'values' | 'revision'>>();
  private readonly listeners = new Set<() => void>();
  /** Number of actions of the user that are being written. */
  private actions = 0;
  private isMore = false;
  private columns: ColumnsChange | null = null;
  /** Revision and time at which the rows were loaded; `null` while they are being loaded. */
  private loaded: { readonly revision: number; readonly atMs: number } | null = null;
  private listed: readonly ListedChange[] = [];
  private outdated = UP_TO_DATE;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isPlain = true;
  private schema: readonly Column[] = [];

  private readonly shown = new LastShown(() => {
    this.notify();
  });

  private rows: LoadedRows | undefined;

  /** Sets the rows once the grid is ready. */
  attach(rows: LoadedRows): void {
    this.rows = rows;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns the last changes, newest first: the same array until there is another one. */
  readonly changes = (): readonly ListedChange[] => this.listed;

  /** Returns the changes of others that the grid has just shown: the same object until they change. */
  readonly lastShown = this.shown.get;

  /** Returns the changes that need a refresh: the same object until they change. */
  readonly outdatedRows = (): Outdated => this.outdated;

  /** @param isPlain True for the view of all rows in the order of their ids. */
  setPlain(isPlain: boolean): void {
    this.isPlain = isPlain;
  }

  /** @param columns Columns of the datagrid. */
  setColumns(columns: readonly Column[]): void {
    this.schema = columns;
  }

  /** Takes changes that have arrived. */
  readonly take = (items: readonly FeedItem[]): void => {
    const added = items.map((item) => {
      if (item.op === 'set') return this.takeRow(item);
      if (item.op === 'schema') this.columns = item;
      else {
        this.postponed.delete(item.id);
        this.newest.delete(item.id);
        this.move(item.id, item.revision);
      }
      return listedChange(item, undefined);
    });
    const keys = new Set(added.map(({ key }) => key));
    const others = this.listed.filter(({ key }) => !keys.has(key));
    this.listed = [...added.reverse(), ...others].slice(0, MAX_LISTED);
    this.emit();
  };

  /** Changes were skipped. */
  readonly skip = (): void => {
    this.isMore = true;
    this.emit();
  };

  /** Applies the changes of rows that are no longer edited. */
  readonly resume = (): void => {
    for (const [id, items] of this.postponed) {
      if (this.isBusy(id)) continue;
      this.postponed.delete(id);
      for (const item of items) this.show(item);
    }
    this.emit();
  };

  /**
   * Runs an action of the user that writes rows. Their changes may arrive before the response, and are
   * applied after the action, which has shown them.
   */
  async during<T>(action: () => Promise<T>): Promise<T> {
    this.actions += 1;
    try {
      return await action();
    } finally {
      this.actions -= 1;
      this.resume();
    }
  }

  /** The grid begins to load its rows again. */
  reload(): void {
    this.loaded = null;
    this.moved.clear();
    this.isMore = false;
    this.columns = null;
    this.emit();
  }

  /**
   * The grid has loaded rows.
   * @param revision Revision of the datagrid when they were read.
   * @param atMs Time of the server.
   */
  load(revision: number, atMs: number): void {
    if (this.loaded) return;
    this.loaded = { revision, atMs };
    for (const [id, at] of this.moved) if (at <= revision) this.moved.delete(id);
    this.emit();
  }

  /** The grid shows a saved edit of the user. */
  save(before: KnownRow, after: KnownRow): void {
    if (before.revision >= after.revision) return;
    this.own.set(`${after.id} ${after.revision}`, before.values);
    this.beforeEdits.delete(before.id);
    this.beforeEdits.set(before.id, before);
    deleteOldest(this.own, MAX_LISTED);
    deleteOldest(this.beforeEdits, MAX_LISTED);
  }

  /** Returns a row that was loaded, or its newer state if that arrived in the meantime. */
  readonly newestOf = (row: KnownRow): KnownRow => {
    const newer = this.newest.get(row.id);
    if (!newer || newer.revision <= row.revision) return row;
    const values = withComputed(this.schema, row.values, newer.values);
    return { ...row, values, revision: newer.revision };
  };

  private takeRow(item: FeedItem & { op: 'set' }): ListedChange {
    const { row } = item;
    const known = this.rows?.find(row.id);
    if ((this.newest.get(row.id)?.revision ?? 0) < row.revision) {
      // Removed first, so that the map is in the order of the changes.
      this.newest.delete(row.id);
      this.newest.set(row.id, row);
    }
    deleteOldest(this.newest, MAX_KEPT);
    if (known && known.revision < row.revision && this.isBusy(row.id)) {
      this.postponed.set(row.id, [...(this.postponed.get(row.id) ?? []), item]);
    } else this.show(item);
    const key = `${row.id} ${row.revision}`;
    const before = known && known.revision < row.revision ? known.values : this.own.get(key);
    // The item came before, without its author.
    const listed = this.listed.find((change) => change.key === key);
    return listedChange(item, before ?? listed?.before);
  }

  /** Whether the user may be writing a row, so that changes of it wait. */
  private isBusy(rowId: number): boolean {
    return this.actions > 0 || this.rows?.isEdited(rowId) === true;
  }

  private show(item: FeedItem & { op: 'set' }): void {
    const { row } = item;
    const known = this.rows?.find(row.id);
    if (known && known.revision >= row.revision) {
      this.showMerged(item, known);
      return;
    }
    if (known) {
      const values = withComputed(this.schema, known.values, row.values);
      const keys = changedKeys(known.values, values);
      this.rows?.update({ ...known, values, revision: row.revision }, keys);
      if (this.changesComputed(keys)) this.move(row.id, row.revision);
      if (keys.length > 0) this.shown.add(item, keys);
    }
    if (!this.isPlain || (!known && this.isNew(row))) this.move(row.id, row.revision);
  }

  /** Marks a change that the grid already has, if it came with the response to an edit of the user. */
  private showMerged(item: FeedItem & { op: 'set' }, known: KnownRow): void {
    const { row } = item;
    const before = this.beforeEdits.get(row.id);
    const isOwn = this.own.has(`${row.id} ${row.revision}`);
    if (isOwn || !before || before.revision >= row.revision) {
      this.shown.complete(item);
      return;
    }
    this.beforeEdits.set(row.id, row);
    const keys = changedKeys(before.values, row.values).filter((key) =>
      isSame(known.values[key], row.values[key]),
    );
    if (keys.length === 0) return;
    this.rows?.update(known, keys);
    this.shown.add(item, keys);
  }

  /** Returns whether a change of links changes computed values, which only a refresh shows. */
  private changesComputed(keys: readonly string[]): boolean {
    if (!this.schema.some(({ type }) => type === 'lookup')) return false;
    return this.schema.some(({ key, type }) => isLink(type) && keys.includes(key));
  }

  /** Returns whether a row was created after the rows were loaded, and so is missing among them. */
  private isNew({ createdAt, updatedAt }: Row): boolean {
    if (createdAt === updatedAt) return true;
    return this.loaded !== null && Date.parse(createdAt) > this.loaded.atMs - CLOCK_MS;
  }

  private move(rowId: number, revision: number): void {
    if (this.loaded && revision <= this.loaded.revision) return;
    if (this.moved.size < MAX_KEPT) this.moved.set(rowId, revision);
    else this.isMore = true;
  }

  private emit(): void {
    if (this.moved.size === 0 && !this.isMore && this.columns === null) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.outdated = UP_TO_DATE;
    } else {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        const { isMore, columns } = this;
        this.outdated = { rows: this.moved.size, isMore, columns };
        this.notify();
      }, DELAY_MS);
    }
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Deletes the oldest entry of a map that has more than `max`. */
function deleteOldest<Key>(map: Map<Key, unknown>, max: number): void {
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
