import { DestinationError, onAbort } from '../../../src/destinations/destination';
import { eventually } from '../../support/eventually';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const TEST = { type: 'postgresql', settings: FAKE_SETTINGS };

let app: TestApp;
let team: Team;
let kind: FakeKind;
let route: string;

beforeEach(async () => {
  kind = new FakeKind(true);
  app = await TestApp.start({
    kinds: { postgresql: kind, duckdb: new FakeKind(false) },
    settings: {
      connectionTestTimeoutSeconds: 1,
      connectionTestLimit: 4,
      // A test must not hold a connection.
      DATABASE_POOL_SIZE: '2',
    },
  });
  team = await newTeam(app);
  route = `/workspaces/${await newWorkspace(team.owner.api)}/connections`;
});

afterEach(() => app.close());

describe('a test of a destination', () => {
  it('returns whether it succeeds, with settings that are not saved', async () => {
    const { api } = team.admin;
    const body = { ...TEST, secret: 'a' };
    expect(dataOf(await api.post(`${route}/test`, body), 200)).toEqual({ ok: true, error: null });
    expect(kind.tested).toEqual([
      {
        accountId: team.owner.accountId,
        connectionId: expect.any(String),
        settings: { ...FAKE_SETTINGS, schema: 'public' },
        secret: 'a',
      },
    ]);
    kind.onTest = () => Promise.reject(new DestinationError('configuration', 'Grant CREATE.'));
    const failed = dataOf(await api.post(`${route}/test`, TEST), 200);
    expect(failed).toEqual({ ok: false, error: 'Grant CREATE.' });
    expect((await api.get(route)).body.meta.total).toBe(0);
  });

  it('tests a saved connection, also if it is paused', async () => {
    const { api } = team.admin;
    const body = { ...TEST, name: 'A', enabled: false };
    const { id } = dataOf(await api.post(route, body), 201);
    const result = dataOf(await api.post(`${route}/${String(id)}/test`), 200);
    expect(result).toEqual({ ok: true, error: null });
    expect(kind.tested).toMatchObject([{ connectionId: id, secret: null }]);
    expectFailure(await api.post(`${route}/${NO_ID}/test`), 'not_found');
  });

  it('returns 500 and logs the reason if the service has an error', async () => {
    kind.onTest = () => Promise.reject(new TypeError('wrong'));
    expectFailure(await team.admin.api.post(`${route}/test`, TEST), 'internal');
    expect(app.logs.join('')).toContain('TypeError: wrong');
  });

  it('fails after its time limit, and counts until it ends', async () => {
    const { api } = team.admin;
    const ends: (() => void)[] = [];
    kind.onTest = () =>
      new Promise((resolve) => {
        ends.push(resolve);
      });
    const [first, second] = await Promise.all([
      api.post(`${route}/test`, TEST),
      api.post(`${route}/test`, TEST),
    ]);
    const timeout = { ok: false, error: 'The destination did not respond within 1 seconds.' };
    expect([dataOf(first, 200), dataOf(second, 200)]).toEqual([timeout, timeout]);
    const third = await api.post(`${route}/test`, TEST);
    expectFailure(third, 'rate_limited');
    expect(third.body.error.message).toBe(
      'Too many destinations of this account are being tested. Retry later.',
    );
    for (const end of ends) end();
    expect(dataOf(await api.get(route), 200)).toEqual([]);
    kind.onTest = () => Promise.resolve();
    expect(dataOf(await api.post(`${route}/test`, TEST), 200).ok).toBe(true);
  });

  it('of one account waits for its turn while slow tests of four others have all permits', async () => {
    kind.onTest = ({ accountId }, signal) =>
      accountId === team.owner.accountId
        ? Promise.resolve()
        : new Promise((_, reject) => {
            onAbort(signal, () => {
              reject(new DestinationError('unavailable', 'The test was ended.'));
            });
          });
    const others: (() => Promise<{ readonly status: number }>)[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { api } = await app.newAccount();
      const path = `/workspaces/${await newWorkspace(api)}/connections/test`;
      others.push(() => api.post(path, TEST));
    }
    const slow = [...others, ...others, ...others, ...others].map((test) => test());
    await eventually(() => kind.tested.length === 8);
    const { api } = team.admin;
    expect(dataOf(await api.post(`${route}/test`, TEST), 200)).toEqual({ ok: true, error: null });
    const turn = kind.tested.findIndex(({ accountId }) => accountId === team.owner.accountId);
    // Each of the others had at most one turn before.
    expect(turn).toBeLessThanOrEqual(8 + 4);
    for (const { status } of await Promise.all(slow)) expect([200, 429]).toContain(status);
  });

  it('holds no connection of the database meanwhile', async () => {
    const ends: (() => void)[] = [];
    kind.onTest = () =>
      new Promise((resolve) => {
        ends.push(resolve);
      });
    const { api } = team.admin;
    const tests = [api.post(`${route}/test`, TEST), api.post(`${route}/test`, TEST)];
    await eventually(() => ends.length === 2);
    expect((await api.get(route)).status).toBe(200);
    for (const end of ends) end();
    for (const response of await Promise.all(tests)) expect(dataOf(response, 200).ok).toBe(true);
  });

  it('returns 429 beyond the limit of an account in a minute, not to other accounts', async () => {
    const { api } = team.admin;
    for (let n = 0; n < 4; n += 1) dataOf(await api.post(`${route}/test`, TEST), 200);
    const failed = await api.post(`${route}/test`, TEST);
    expectFailure(failed, 'rate_limited');
    expect(failed.body.error.message).toBe('Too many tests of this account. Retry later.');
    expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = (await newTeam(app)).owner.api;
    const path = `/workspaces/${await newWorkspace(other)}/connections/test`;
    dataOf(await other.post(path, TEST), 200);
  });

  it('returns 400 for a secret if the type has none', async () => {
    const { api } = team.admin;
    const body = { type: 'duckdb', settings: {}, secret: 'a' };
    const failed = await api.post(`${route}/test`, body);
    expectFailure(failed, 'invalid_request', ['secret incompatible_parameters']);
    const created = await api.post(route, { ...body, name: 'A' });
    expectFailure(created, 'invalid_request', ['secret incompatible_parameters']);
    const { id } = dataOf(await api.post(route, { ...body, name: 'A', secret: null }), 201);
    const changed = await api.patch(`${route}/${String(id)}`, { secret: 'a' });
    expectFailure(changed, 'invalid_request', ['secret incompatible_parameters']);
  });

  it('returns 404 for a workspace of another account, and 403 to viewers and editors', async () => {
    const stranger = (await newTeam(app)).owner.api;
    expectFailure(await stranger.post(`${route}/test`, TEST), 'not_found');
    for (const role of ['viewer', 'editor'] as const) {
      expectFailure(await team[role].api.post(`${route}/test`, TEST), 'forbidden');
    }
    expect(kind.tested).toEqual([]);
  });
});
