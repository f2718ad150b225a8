import { SUBSCRIBED_TYPES } from '../event-type';
import type { LogEntry } from './change-log.repository';
import { planEvents, type PlannedEvent, rowsToMatch } from './event-plan';

const START = { revision: 0, part: null, atMs: null, hasGap: false };
const ALL = new Set(SUBSCRIBED_TYPES);

let revision = 0;

beforeEach(() => {
  revision = 0;
});

/** Returns the next entry of the log. */
function entry(kind: LogEntry['kind'], rowIds: readonly number[]): LogEntry {
  revision += 1;
  const author = { userId: 'u', keyId: 'k' };
  const rows = { firstId: null, rowCount: rowIds.length, rowIds };
  return {
    revision,
    part: 0,
    revisions: 1,
    kind,
    ...rows,
    ...author,
    atMs: 5,
    hasMoreParts: false,
  };
}

/** Returns an entry that names its rows by the first one. */
const range = (kind: LogEntry['kind'], firstId: number, rowCount: number): LogEntry => ({
  ...entry(kind, []),
  firstId,
  rowCount,
  rowIds: null,
});

const numbers = (count: number, from = 1): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

const read = (...entries: LogEntry[]): Parameters<typeof planEvents>[1] => ({
  head: revision,
  positionAtMs: null,
  entries,
});

const plan = (
  entries: LogEntry[],
  matching: readonly number[],
): { events: readonly PlannedEvent[]; position: number; isComplete: boolean } => {
  const { events, position, isComplete } = planEvents(
    START,
    read(...entries),
    ALL,
    new Set(matching),
  );
  return { events, position: position.revision, isComplete };
};

describe('a plan of events with a filter', () => {
  it('has only the matching rows of created and updated ones', () => {
    const entries = [entry('create', [1, 2, 3]), entry('update', [2, 4])];
    const { events } = plan(entries, [1, 3, 4]);
    expect(events.map(({ type, rowIds }) => [type, rowIds])).toEqual([
      ['rows.created', [1, 3]],
      ['rows.updated', [4]],
    ]);
  });

  it('moves past entries without a matching row, without an event', () => {
    const entries = [entry('create', [1]), entry('update', [1]), range('create', 5, 2_000)];
    expect(plan(entries, [])).toEqual({ events: [], position: 3, isComplete: true });
  });

  it('has deleted rows and other changes whatever matches', () => {
    const entries = [entry('delete', [1, 2]), entry('schema', []), entry('trashed', [])];
    const { events } = plan(entries, []);
    expect(events.map(({ type, rowIds }) => [type, rowIds])).toEqual([
      ['rows.deleted', [1, 2]],
      ['columns.changed', []],
      ['datagrid.deleted', []],
    ]);
  });

  it('numbers the parts of the matching rows from 1 without a hole', () => {
    const even = numbers(5_000).filter((id) => id % 2 === 0);
    const { events } = plan([range('create', 1, 5_000)], even);
    expect(events.map(({ part }) => part)).toEqual(
      [1, 2, 3].map((number) => ({ number, count: 3 })),
    );
    expect(events.flatMap(({ rowIds }) => rowIds)).toEqual(even);
    expect(events.map(({ rowIds }) => rowIds.length)).toEqual([1_000, 1_000, 500]);
  });

  it('has no parts if the matching rows fit in one event', () => {
    const { events } = plan([range('create', 1, 5_000)], numbers(1_000, 3_000));
    expect(events.map(({ part, rowIds }) => [part, rowIds.length])).toEqual([[null, 1_000]]);
  });

  it('gathers matching rows of entries that would be too large without the filter', () => {
    const entries = [entry('create', numbers(90)), entry('create', numbers(90, 200))];
    const { events } = plan(entries, [1, 200]);
    expect(events).toMatchObject([{ rowIds: [1, 200], fromRevision: 0, revision: 2 }]);
  });

  it('has all rows without a filter', () => {
    const { events } = planEvents(START, read(entry('create', [1, 2])), ALL);
    expect(events).toMatchObject([{ rowIds: [1, 2] }]);
  });
});

describe('the rows to match', () => {
  it('are those of created and updated rows that the webhook wants, each once', () => {
    const entries = [
      range('create', 1, 2),
      entry('update', [2, 7]),
      entry('delete', [8]),
      entry('schema', []),
    ];
    expect(rowsToMatch(entries, ALL)).toEqual([1, 2, 7]);
    expect(rowsToMatch(entries, new Set(['rows.updated', 'rows.deleted']))).toEqual([2, 7]);
  });
});
