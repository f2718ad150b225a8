import type { Row } from '../../../datagrids/datagrid';
import type { KnownRow } from '../../cells/known-row';
import type { FeedItem } from './change';
import { LiveRows } from './live-rows';
import { UP_TO_DATE, type Outdated } from './outdated';

const CREATED = '2026-11-21T09:30:00.000Z';
const CHANGED = '2026-11-21T09:31:00.000Z';
const LOADED_MS = Date.parse('2026-11-21T09:30:30.000Z');

const row = (id: number, revision: number, n: number, updatedAt = CHANGED): Row => ({
  id,
  values: { n },
  revision,
  createdAt: CREATED,
  updatedAt,
});

const set = (of: Row): FeedItem => ({
  op: 'set',
  row: of,
  changedAt: of.updatedAt,
  changedBy: { userId: 'u', keyId: null },
});

/** Rows 1 to 3 of revision 1 in a grid, which the test edits. */
class FakeGrid {
  readonly rows = new Map<number, KnownRow>(
    [1, 2, 3].map((id) => [id, { id, values: { n: id }, revision: 1, schemaVersion: 1 }]),
  );
  readonly edited = new Set<number>();
  readonly find = (id: number): KnownRow | undefined => this.rows.get(id);
  readonly isEdited = (id: number): boolean => this.edited.has(id);
  /** Columns that were marked as changed. */
  readonly marked: string[] = [];
  readonly update = (of: KnownRow, keys: readonly string[] = []): void => {
    this.rows.set(of.id, of);
    this.marked.push(...keys);
  };
  readonly value = (id: number): unknown => this.rows.get(id)?.values['n'];
}

let grid: FakeGrid;
let live: LiveRows;

beforeEach(() => {
  jest.useFakeTimers();
  grid = new FakeGrid();
  live = new LiveRows();
  live.attach(grid);
  live.load(1, LOADED_MS);
});

afterEach(() => jest.useRealTimers());

function outdatedAfterDelay(): Outdated {
  jest.advanceTimersByTime(1_000);
  return live.outdatedRows();
}

describe('LiveRows', () => {
  it('updates a loaded row at its place', () => {
    live.take([set(row(2, 2, 20))]);
    expect(grid.value(2)).toBe(20);
    expect(outdatedAfterDelay()).toBe(UP_TO_DATE);
  });

  it('never replaces a row by an older one', () => {
    live.take([set(row(2, 3, 30))]);
    live.take([set(row(2, 2, 20))]);
    expect(grid.value(2)).toBe(30);
    const loaded = { id: 2, values: { n: 20 }, revision: 2, schemaVersion: 7 };
    expect(live.newestOf(loaded)).toEqual({ ...loaded, values: { n: 30 }, revision: 3 });
    expect(live.newestOf({ ...loaded, revision: 4 })).toMatchObject({ revision: 4 });
  });

  it('updates a row that the user edits only afterwards', () => {
    grid.edited.add(2);
    live.take([set(row(2, 2, 20))]);
    live.resume();
    expect(grid.value(2)).toBe(2);
    grid.edited.delete(2);
    live.resume();
    expect(grid.value(2)).toBe(20);
  });

  it('does not report an edit of the user that the grid already has', () => {
    live.setPlain(false);
    grid.edited.add(2);
    live.take([set(row(2, 2, 20))]);
    grid.update({ id: 2, values: { n: 20 }, revision: 2, schemaVersion: 1 });
    grid.edited.delete(2);
    live.resume();
    expect(outdatedAfterDelay()).toBe(UP_TO_DATE);
  });

  it.each(['before', 'after'])(
    'marks a change of another column that arrives %s the response to an edit of the row',
    (when) => {
      const theirs = set({ ...row(2, 2, 2), values: { n: 2, other: 'theirs' } });
      const mine = { id: 2, values: { n: 20, other: 'theirs' }, revision: 3, schemaVersion: 1 };
      const own = set({ ...row(2, 3, 20), values: mine.values });
      grid.edited.add(2);
      if (when === 'before') live.take([theirs, own]);
      const before = grid.find(2);
      if (before) live.save(before, mine);
      grid.update(mine);
      grid.edited.delete(2);
      live.resume();
      if (when === 'after') live.take([theirs, own]);
      expect(grid.marked).toEqual(['other']);
      expect(live.lastShown()).toMatchObject({ rowId: 2, revision: 2, keys: ['other'] });
      // The same change with its author.
      live.take([theirs]);
      expect(grid.marked).toEqual(['other']);
    },
  );

  it('lists an edit of the user with the values before', () => {
    const before = grid.find(2);
    const after = { id: 2, values: { n: 20 }, revision: 2, schemaVersion: 1 };
    if (before) live.save(before, after);
    grid.update(after);
    live.take([set(row(2, 2, 20))]);
    expect(live.changes().map((change) => change.before)).toEqual([{ n: 2 }]);
  });

  it('reports added and deleted rows until the rows are loaded again', () => {
    live.take([
      set(row(4, 2, 4, CREATED)),
      { op: 'delete', id: 1, revision: 3 },
      // Changed, but not on the screen.
      set(row(900, 4, 9)),
    ]);
    expect(live.outdatedRows()).toBe(UP_TO_DATE);
    expect(outdatedAfterDelay()).toEqual({ rows: 2, isMore: false, columns: null });
    live.reload();
    expect(live.outdatedRows()).toBe(UP_TO_DATE);
    live.take([{ op: 'delete', id: 3, revision: 5 }]);
    live.load(5, LOADED_MS);
    expect(outdatedAfterDelay()).toBe(UP_TO_DATE);
  });

  it('reports a row that was created and changed since the rows were loaded', () => {
    live.take([set({ ...row(4, 3, 4), createdAt: '2026-11-21T09:30:50.000Z' })]);
    expect(outdatedAfterDelay()).toMatchObject({ rows: 1 });
  });

  it('reports every changed row of a filtered or sorted view, because it can move', () => {
    live.setPlain(false);
    live.take([set(row(2, 2, 20)), set(row(900, 3, 9))]);
    expect(grid.value(2)).toBe(20);
    expect(outdatedAfterDelay()).toMatchObject({ rows: 2 });
  });

  it('reports within a second while changes arrive without pause', () => {
    for (let id = 10; id < 30; id += 1) {
      live.take([set(row(id, id, id, CREATED))]);
      jest.advanceTimersByTime(100);
    }
    expect(live.outdatedRows().rows).toBeGreaterThan(5);
  });

  it('names the changes of others that it shows, and counts the rows of one author', () => {
    live.take([set(row(2, 2, 20))]);
    const by = { userId: 'u', keyId: null };
    expect(live.lastShown()).toEqual({ rowId: 2, revision: 2, keys: ['n'], rows: 1, by });
    live.take([set(row(3, 3, 30))]);
    expect(live.lastShown()).toMatchObject({ rowId: 3, rows: 2 });
    jest.advanceTimersByTime(6_000);
    expect(live.lastShown()).toBeUndefined();
  });

  it('names the author of a shown change that came without it before', () => {
    live.take([{ op: 'set', row: row(2, 2, 20) }]);
    expect(live.lastShown()?.by).toBeUndefined();
    live.take([set(row(2, 2, 20))]);
    expect(live.lastShown()?.by).toEqual({ userId: 'u', keyId: null });
  });

  it('does not name an edit of the user that the grid shows already', () => {
    grid.update({ id: 2, values: { n: 20 }, revision: 2, schemaVersion: 1 });
    live.take([set(row(2, 2, 20))]);
    expect(live.lastShown()).toBeUndefined();
  });

  it('reports skipped changes', () => {
    live.skip();
    expect(outdatedAfterDelay()).toMatchObject({ isMore: true });
  });

  it('lists the last 200 changes, newest first, each once', () => {
    live.take([set(row(2, 2, 20)), { op: 'delete', id: 1, revision: 3 }]);
    live.take([{ op: 'set', row: row(3, 4, 30) }]);
    live.take([set(row(3, 4, 30))]);
    expect(live.changes().map(({ key, before }) => [key, before])).toEqual([
      ['3 4', { n: 3 }],
      ['delete 1 3', undefined],
      ['2 2', { n: 2 }],
    ]);
    expect(live.changes()[0]?.by).toEqual({ userId: 'u', keyId: null });
    live.take(Array.from({ length: 300 }, (_item, n) => set(row(n + 1_000, n + 10, n))));
    expect(live.changes()).toHaveLength(200);
    expect(live.changes()[0]?.rowId).toBe(1_299);
  });
});

describe('Computed values of changed rows', () => {
  const base = { required: false, unique: false, indexed: false, options: {} };
  const columns = [
    { ...base, key: 'n', title: 'n', type: 'link' as const },
    { ...base, key: 'note', title: 'note', type: 'text' as const },
    { ...base, key: 'name', title: 'name', type: 'lookup' as const },
  ];
  const changed = (values: Row['values']): FeedItem => set({ ...row(1, 2, 0), values });

  beforeEach(() => {
    live.setColumns(columns);
    grid.rows.set(1, { id: 1, values: { n: 1, name: 'p1' }, revision: 1, schemaVersion: 1 });
  });

  it('stay as they were read', () => {
    live.take([changed({ n: 1, note: 'x' })]);
    expect(grid.rows.get(1)?.values).toEqual({ n: 1, note: 'x', name: 'p1' });
    expect(grid.marked).toEqual(['note']);
    expect(outdatedAfterDelay()).toEqual(UP_TO_DATE);
  });

  it('need a refresh if a link has changed', () => {
    live.take([changed({ n: 2 })]);
    expect(grid.rows.get(1)?.values).toEqual({ n: 2, name: 'p1' });
    expect(outdatedAfterDelay()).toMatchObject({ rows: 1 });
  });
});
