import {
  importBody,
  importChanges,
  importDraftOf,
  importProblems,
  NEW_IMPORT,
  previewBody,
} from './import-draft';
import {
  isChanging,
  rejectionOf,
  resultOf,
  scheduleOf,
  type ScheduledImport,
} from './scheduled-import';

const SAVED: ScheduledImport = {
  id: 'i',
  name: 'Traffic',
  datagridId: 'd',
  query: 'SELECT 1 AS code',
  table: null,
  keyColumns: ['code'],
  columns: null,
  missingRows: 'keep',
  allowEmptyResult: false,
  intervalSeconds: 3_600,
  enabled: true,
  status: 'active',
  lastError: null,
  lastErrorAt: null,
  nextRunAt: null,
};

const RUN = {
  id: 'r',
  startedAt: '2026-11-21T09:30:00.000Z',
  endedAt: '2026-11-21T09:30:02.500Z',
  rowsRead: 1_200,
  created: 1_000,
  updated: 0,
  unchanged: 199,
  deleted: 0,
  rejected: 1,
  rejectedRows: [{ line: 7, details: [{ field: 'ratio', message: 'must be a number' }] }],
  note: null,
  error: null,
};

describe('the form of a scheduled import', () => {
  it('requires a datagrid, a key column and a valid number of minutes', () => {
    expect(importProblems({ ...NEW_IMPORT, minutes: '0' })).toEqual({
      datagridId: 'Choose a datagrid.',
      keyColumns: 'Choose at least one column.',
      intervalSeconds: 'Must be a number of minutes from 1 to 10,080 (one week).',
    });
    expect(importProblems(importDraftOf(SAVED))).toEqual({});
    const byRequest = { ...importDraftOf(SAVED), isScheduled: false, minutes: '' };
    expect(importProblems(byRequest)).toEqual({});
  });

  it('sends a query or a table, and only what has changed', () => {
    const draft = importDraftOf(SAVED);
    expect(importBody(draft)).toMatchObject({ query: 'SELECT 1 AS code', table: null });
    expect(importChanges(draft, draft)).toEqual({});
    expect(importChanges(draft, { ...draft, isTable: true, table: 'public.t' })).toEqual({
      query: null,
      table: 'public.t',
    });
    expect(importChanges(draft, { ...draft, minutes: '1.5', missingRows: 'delete' })).toEqual({
      intervalSeconds: 90,
      missingRows: 'delete',
    });
    expect(importChanges(draft, { ...draft, isScheduled: false })).toEqual({
      intervalSeconds: null,
    });
  });

  it('previews with the datagrid, the key columns and the mapping of a saved import', () => {
    expect(previewBody(NEW_IMPORT, null)).toEqual({ query: '' });
    const draft = { ...importDraftOf(SAVED), isTable: true, table: 't' };
    expect(previewBody(draft, { place: 'city' })).toEqual({
      table: 't',
      datagridId: 'd',
      keyColumns: ['code'],
      columns: { place: 'city' },
    });
  });
});

describe('a scheduled import in the console', () => {
  it('says in words when it runs and what the last run has done', () => {
    expect(scheduleOf(SAVED)).toBe('Runs every 60 minutes');
    expect(scheduleOf({ intervalSeconds: 60 })).toBe('Runs every minute');
    expect(scheduleOf({ intervalSeconds: null })).toBe('Runs on demand');
    expect(resultOf(RUN)).toBe('1,200 rows: 1,000 created, 199 unchanged, 1 rejected');
    expect(rejectionOf(RUN)).toBe('Row 7: ratio must be a number.');
    expect(rejectionOf({ ...RUN, rejectedRows: [] })).toBeNull();
  });

  it('is read more often while it runs or is due', () => {
    expect(isChanging(SAVED)).toBe(false);
    expect(isChanging({ ...SAVED, status: 'running' })).toBe(true);
    expect(isChanging({ ...SAVED, nextRunAt: '2020-01-01T00:00:00.000Z' })).toBe(true);
    expect(isChanging({ ...SAVED, status: 'paused', nextRunAt: '2020-01-01T00:00:00.000Z' })).toBe(
      false,
    );
  });
});
