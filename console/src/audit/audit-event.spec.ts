import { AUDIT_ACTIONS } from '../../../src/auth/audit/audit-action';
import { actorOf, circumstancesOf, targetOf, titleOf, type AuditEvent } from './audit-event';

const event = (change: Partial<AuditEvent>): AuditEvent => ({
  id: 'e',
  at: '2026-11-21T10:00:00.000Z',
  action: 'key_created',
  by: { via: 'console', email: 'ada@example.com', keyName: null },
  target: { kind: 'key', id: 'k', name: 'Pipeline' },
  details: {},
  address: null,
  ...change,
});

describe('an audit event', () => {
  it.each(AUDIT_ACTIONS)('has a title for %s', (action) => {
    expect(titleOf(event({ action }))).toMatch(/^[A-Z][A-Za-z -]+$/);
  });

  it('shows the name of an unknown action', () => {
    expect(titleOf(event({ action: 'moon_landed' }))).toBe('moon_landed');
  });

  it('names its target', () => {
    expect(targetOf(event({}))).toBe('Pipeline');
    expect(targetOf(event({ target: { kind: 'datagrid', id: 'd', name: null } }))).toBe(
      'datagrid d',
    );
    expect(targetOf(event({ target: { kind: 'session', id: 's', name: null } }))).toBeUndefined();
  });

  it.each([
    ['user_role_changed', { from: 'editor', to: 'admin' }, 'editor to admin'],
    ['key_revoked', { user: 'bob@example.com' }, 'of bob@example.com'],
    ['sign_in_failed', { reason: 'wrong_password' }, 'wrong password'],
    ['sign_in_failed', { reason: 'wrong_code' }, 'wrong code'],
    ['rows_deleted', { rows: 1 }, '1 row'],
    ['rows_deleted', { rows: 12 }, '12 rows'],
    ['rows_undone', { revision: 4, rows: 2 }, '2 rows'],
    ['rows_restored', { rows: 2 }, '2 rows'],
    ['column_created', { column: 'iata', type: 'text' }, 'column iata, text'],
    [
      'column_updated',
      { column: 'iata', properties: 'title, unique' },
      'column iata: title, unique',
    ],
    ['scheduled_import_updated', { connection: 'Lake' }, 'of the connection Lake'],
    ['sign_out', {}, undefined],
  ])('describes the details of %s', (action, details, text) => {
    expect(circumstancesOf(event({ action, details: details }))).toBe(text);
  });

  it('names the actor and the means', () => {
    const by = (via: AuditEvent['by']['via'], keyName: string | null = null): string =>
      actorOf(event({ by: { via, email: 'ada@example.com', keyName }, address: '::1' }));
    expect(by('console')).toBe('ada@example.com, from ::1');
    expect(by('key', 'Pipeline')).toBe('ada@example.com with the key Pipeline, from ::1');
    expect(by('application', 'Assistant')).toBe(
      'ada@example.com with the application Assistant, from ::1',
    );
    expect(by('link')).toBe('ada@example.com with a link, from ::1');
    expect(by('operator')).toBe('An operator, from ::1');
    expect(by('nobody')).toBe('Somebody, from ::1');
    expect(actorOf(event({ by: { via: 'service', email: null, keyName: null } }))).toBe(
      'The service itself',
    );
  });
});
