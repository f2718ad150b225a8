import { NO_ID, RFC3339 } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string; HOST: string };
let member: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  // Invite links can be created only for a known URL, such as localhost.
  settings = { DATABASE_URL: app.database.url, HOST: '127.0.0.1' };
  member = await app.newAccount();
  await app.newAccount();
});

afterAll(() => app.close());

describe('audit list', () => {
  it('prints the events that owners of the account see, in pages', async () => {
    const { accountId, email } = member;
    await adminJson(settings, 'user', 'invite', '--email', email);
    const list = ['audit', 'list', '--account', accountId];
    const { events, nextCursor } = await adminJson(settings, ...list, '--limit', '2');
    expect(events).toEqual([
      {
        id: nextCursor === null ? '' : expect.any(String),
        at: expect.stringMatching(RFC3339),
        action: 'user_invited',
        by: { via: 'operator', userId: null, email: null, keyId: null, keyName: null },
        target: { kind: 'user', id: member.userId, name: email },
        details: {},
        address: null,
      },
      expect.objectContaining({ id: nextCursor, action: 'key_created' }),
    ]);
    const rest = await adminJson(settings, ...list, '--cursor', nextCursor);
    expect(rest.nextCursor).toBeNull();
    const console_ = (await (await app.console(member)).get('/data/audit-events')).body.data;
    expect([...events, ...rest.events]).toEqual(console_);
    const { stdout } = await adminProcess(settings, ...list);
    expect(stdout.trim().split('\n')).toHaveLength(4);
    expect(stdout).toContain(`user_invited  user ${email}  by operator`);
  });

  it('rejects an unknown account and invalid options', async () => {
    const unknown = await adminError(settings, 'audit', 'list', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
    for (const wrong of [
      ['--limit', '0'],
      ['--limit', '1001'],
      ['--cursor', 'x'],
    ]) {
      const args = ['audit', 'list', '--account', member.accountId, ...wrong];
      expect((await adminError(settings, ...args)).code).toBe('invalid_request');
    }
  });
});
