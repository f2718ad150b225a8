import {
  bytesText,
  checkOf,
  frequencyOf,
  isMoving,
  isStarted,
  requestOf,
  runSeconds,
  tableChanges,
  type ConnectionTable,
} from './connection';

const SYNCED: ConnectionTable = {
  datagridId: 'd',
  name: 'airports',
  columns: null,
  status: 'synced',
  loadedRows: null,
  totalRows: null,
  revision: 4,
  lagSeconds: 0,
  lastError: null,
  lastErrorAt: null,
  checkedAt: null,
  differentRows: null,
  request: null,
};

const RUN = {
  id: 'r',
  datagridId: 'd',
  startedAt: '2026-11-21T09:30:00.000Z',
  endedAt: '2026-11-21T09:30:02.500Z',
  rows: 9,
  bytes: 1_024,
  error: null,
};

describe('a table of a connection in the console', () => {
  it('is read more often while it is loaded, behind, or has a request', () => {
    expect(isMoving(SYNCED)).toBe(false);
    expect(isMoving({ ...SYNCED, status: 'loading' })).toBe(true);
    expect(isMoving({ ...SYNCED, lagSeconds: 2 })).toBe(true);
    expect(isMoving({ ...SYNCED, request: 'check' })).toBe(true);
    expect(isMoving({ ...SYNCED, status: 'paused', request: 'check' })).toBe(false);
  });

  it('can be renamed until its first load has begun', () => {
    expect(isStarted({ ...SYNCED, status: 'paused', revision: null })).toBe(false);
    expect(isStarted({ ...SYNCED, status: 'paused' })).toBe(true);
    expect(isStarted({ ...SYNCED, status: 'failing', revision: null, loadedRows: 0 })).toBe(true);
  });

  it('says what was requested, and what the last check has found', () => {
    expect(requestOf(SYNCED)).toBeNull();
    expect(requestOf({ ...SYNCED, request: 'reset' })).toBe('The next run loads the table again.');
    const checked = { ...SYNCED, checkedAt: '2026-11-21T09:30:00.000Z' };
    expect(checkOf(SYNCED)).toBeNull();
    expect(checkOf({ ...checked, differentRows: 0 })).toBe('no differences');
    expect(checkOf({ ...checked, differentRows: 1 })).toBe('1 row was different');
    expect(checkOf({ ...checked, differentRows: 1_200 })).toBe('1,200 rows were different');
  });

  it('sends only the name or the columns that the user has changed', () => {
    const before = { name: 'airports', columns: ['a', 'b'] };
    expect(tableChanges(before, { name: 'airports', columns: ['b', 'a'] })).toEqual({});
    expect(tableChanges(before, { name: 'ports', columns: null })).toEqual({
      name: 'ports',
      columns: null,
    });
  });
});

describe('a connection in the console', () => {
  it('says how often it is synced', () => {
    expect(frequencyOf({ intervalSeconds: null })).toBe('Continuously');
    expect(frequencyOf({ intervalSeconds: 60 })).toBe('Every minute');
    expect(frequencyOf({ intervalSeconds: 90 })).toBe('Every 1.5 minutes');
  });

  it('shows the bytes and the duration of a run', () => {
    expect([999, 1_024, 12_345_678, 5e12].map(bytesText)).toEqual([
      '999 bytes',
      '1.0 kB',
      '12.3 MB',
      '5.0 TB',
    ]);
    expect(runSeconds(RUN)).toBe('2.5');
    expect(runSeconds({ ...RUN, endedAt: '2026-11-21T09:51:00.000Z' })).toBe('1,260');
  });
});
