import type { Connection } from './connection';
import { findDestination } from './destinations';
import {
  changesOf,
  createBody,
  draftOf,
  fieldNames,
  minutesProblem,
  newDraft,
  stepOf,
  testBody,
} from './draft';

const CONNECTION: Connection = {
  id: 'c',
  name: 'Warehouse',
  type: 'postgresql',
  settings: {
    host: 'warehouse.example',
    port: 5432,
    database: 'analytics',
    user: 'datagrid',
    schema: 'public',
    tls: true,
    caCertificate: null,
  },
  hasSecret: true,
  datagridIds: null,
  deletions: 'delete',
  intervalSeconds: null,
  enabled: true,
  status: 'active',
  tables: 1,
  failingTables: 0,
  lastError: null,
  lastErrorAt: null,
  syncedAt: null,
  createdAt: '2026-11-21T09:30:00.000Z',
};

const duckdb = findDestination('duckdb');
if (!duckdb) throw new Error('A destination is missing.');

describe('a new connection in the console', () => {
  const draft = { ...newDraft(duckdb), values: { file: 'sales' } };

  it('copies all datagrids continuously into the destination that was chosen', () => {
    expect(createBody(draft)).toEqual({
      name: 'DuckDB file',
      type: 'duckdb',
      settings: { file: 'sales' },
      datagridIds: null,
      deletions: 'delete',
      intervalSeconds: null,
      enabled: true,
    });
  });

  it('is tested with its settings and its secret only', () => {
    expect(testBody(draft)).toEqual({ type: 'duckdb', settings: { file: 'sales' } });
    expect(testBody({ ...draft, secret: 'pa ss' })).toHaveProperty('secret', 'pa ss');
  });

  it('has an interval in seconds, which the user enters in minutes', () => {
    const often = { ...draft, isContinuous: false, minutes: ' 15 ' };
    expect(createBody(often).intervalSeconds).toBe(900);
    expect(createBody({ ...often, minutes: '1.1' }).intervalSeconds).toBe(66);
    expect(minutesProblem(often)).toBeUndefined();
    expect(minutesProblem({ ...often, minutes: '10080' })).toBeUndefined();
    expect(minutesProblem({ ...draft, minutes: 'x' })).toBeUndefined();
  });

  it.each(['', 'x', '0.5', '10081', '-5', '1.00001'])(
    'has no interval of "%s" minutes',
    (minutes) => {
      expect(minutesProblem({ ...draft, isContinuous: false, minutes })).toMatch(
        /^Must be a number/,
      );
    },
  );
});

describe('an edited connection in the console', () => {
  const before = draftOf(CONNECTION);

  it('sends only what the user has changed', () => {
    expect(changesOf(before, before)).toEqual({});
    const after = { ...before, name: 'Lake', isContinuous: false, minutes: '5' };
    expect(changesOf(before, after)).toEqual({ name: 'Lake', intervalSeconds: 300 });
  });

  it('sends all settings if one has changed, and the secret if it was entered', () => {
    const after = { ...before, values: { ...before.values, host: 'other.example' } };
    const settings = {
      host: 'other.example',
      port: 5432,
      database: 'analytics',
      user: 'datagrid',
      schema: 'public',
      tls: true,
    };
    expect(changesOf(before, after)).toEqual({ settings });
    expect(changesOf(before, { ...after, secret: 's' })).toEqual({ settings, secret: 's' });
    expect(changesOf(before, { ...before, secret: 's' })).toEqual({ secret: 's' });
  });

  it('shows a saved interval in minutes', () => {
    const draft = draftOf({ ...CONNECTION, intervalSeconds: 90 });
    expect(draft).toMatchObject({ isContinuous: false, minutes: '1.5' });
    expect(changesOf(draft, draft)).toEqual({});
  });
});

describe('the wizard for connections', () => {
  it('returns to the first step with a field that the service has rejected', () => {
    expect(stepOf(['type'])).toBe('destination');
    expect(stepOf(['intervalSeconds', 'settings.host'])).toBe('settings');
    expect(stepOf(['datagridIds.3'])).toBe('sync');
    expect(stepOf([])).toBe('review');
    expect(stepOf(['enabled'])).toBe('review');
  });

  it('names the fields as the service does', () => {
    expect(fieldNames(duckdb)).toEqual(['name', 'secret', 'settings.file']);
  });
});
