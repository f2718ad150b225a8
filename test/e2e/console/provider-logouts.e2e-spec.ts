import { generateKeyPairSync } from 'node:crypto';
import { type ApiResponse, FileBody } from '../../support/api-client';
import { CONSOLE, ConsoleClient } from '../../support/console-client';
import { EventStream } from '../../support/event-stream';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, NO_ID } from '../../support/fixture';
import {
  arriveFrom,
  beginAt,
  LOGOUT_EVENT,
  OpenidProvider,
  type Person,
  signInBy,
} from '../../support/openid-provider';
import { type Member, TestApp } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const FORM = 'application/x-www-form-urlencoded';

let app: TestApp;
let origin: string;
let provider: OpenidProvider;
let owner: Member;
let console_: ConsoleClient;
let id: string;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
});

afterAll(() => app.close());

beforeEach(async () => {
  provider = await OpenidProvider.start();
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = new ConsoleClient(origin, (await app.console(owner)).token);
  id = await newProvider();
});

afterEach(() => provider.close());

async function newProvider(): Promise<string> {
  const body = { name: 'Company', ...provider.settings, currentPassword: PASSWORD };
  return String(dataOf(await console_.post('/providers', body), 201)['id']);
}

async function signIn(person: Person, at = id): Promise<ConsoleClient> {
  const session = await signInBy(provider, origin, at, person);
  expect(session.status).toBe(200);
  const pair = session.headers.getSetCookie().find((each) => each.startsWith('datagrid_session='));
  return new ConsoleClient(origin, pair?.slice(pair.indexOf('=') + 1, pair.indexOf(';')) ?? '');
}

const ann = (sid?: string): Person => ({
  ...{ sub: 'ann', email: owner.email, email_verified: true },
  ...(sid !== undefined && { sid }),
});

const send = (token: string, at = id): Promise<ApiResponse> =>
  new ConsoleClient(origin).post(
    `/providers/${at}/logout`,
    new FileBody(FORM, new URLSearchParams({ logout_token: token }).toString()),
  );

async function ended(response: Promise<ApiResponse>): Promise<void> {
  const { status, headers, text } = await response;
  expect([status, headers.get('cache-control'), text]).toEqual([200, 'no-store', '']);
}

async function isSignedIn(session: ConsoleClient): Promise<boolean> {
  return (await session.get('/session')).status === 200;
}

describe('a logout at a provider', () => {
  it('ends the session that it names, and no other one', async () => {
    const [first, second, other] = [
      await signIn(ann('s1')),
      await signIn(ann('s2')),
      await signIn(ann('s1'), await newProvider()),
    ];
    await ended(send(provider.logoutToken({ sub: 'ann', sid: 's1' })));
    const states = await Promise.all([first, second, other, console_].map(isSignedIn));
    expect(states).toEqual([false, true, true, true]);
    await ended(send(provider.logoutToken({ sid: 's2' })));
    expect(await isSignedIn(second)).toBe(false);
    const events = (await console_.get('/data/audit-events?limit=2')).body.data;
    expect(events).toMatchObject([
      { action: 'session_ended', by: { via: 'service' }, details: { provider: 'Company' } },
      { action: 'session_ended' },
    ]);
  });

  it('ends all sessions of the person if it names none, and no session of others', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    const ben = { sub: 'ben', email: member.email, email_verified: true, sid: 's3' };
    const sessions = [await signIn(ann('s1')), await signIn(ann()), await signIn(ben)];
    await ended(send(provider.logoutToken({ sub: 'ann' })));
    expect(await Promise.all(sessions.map(isSignedIn))).toEqual([false, false, true]);
    await ended(send(provider.logoutToken({ sub: 'ann', sid: 's3' })));
    expect(await Promise.all(sessions.map(isSignedIn))).toEqual([false, false, true]);
  });

  it('ends the open streams of the session', async () => {
    const session = await signIn(ann('s1'));
    const grid = await newDatagrid(owner.api, [{ key: 'u', type: 'text' }]);
    const cookie = `datagrid_session=${session.token ?? ''}`;
    const stream = new EventStream(`${origin}${CONSOLE}/data${grid}/changes`, { cookie });
    await ended(send(provider.logoutToken({ sid: 's1' })));
    // A stream that waits is checked before it sends something.
    await eventually(async () => {
      await owner.api.post(`${grid}/rows`, { values: { u: 'x' } });
      return stream.isEnded;
    });
    expect(stream.status).toBe(200);
  });

  it('is accepted for people and sessions that are not known', async () => {
    await ended(send(provider.logoutToken({ sub: 'nobody' })));
    await ended(send(provider.logoutToken({ sub: 'nobody', sid: 'none' })));
    await ended(send(provider.logoutToken({ sid: 'none' })));
    expectFailure(await send(provider.logoutToken({ sub: 'ann' }), NO_ID), 'not_found');
  });

  it('also ends a sign-in of the session that is on its way', async () => {
    await signIn(ann('s1'));
    const { url, browser } = await beginAt(origin, id);
    const query = provider.signIn(url, ann('s2'));
    await ended(send(provider.logoutToken({ sub: 'ann', sid: 's2' })));
    const late = await arriveFrom(id, browser, query);
    expectFailure(late, 'unauthenticated');
  });

  it('of a person also ends all their sign-ins that are on their way, and none that begins later', async () => {
    await signIn(ann('s1'));
    const { url, browser } = await beginAt(origin, id);
    const query = provider.signIn(url, { ...ann('s2') });
    await ended(send(provider.logoutToken({ sub: 'ann' })));
    expectFailure(await arriveFrom(id, browser, query), 'unauthenticated');
    expect(await isSignedIn(await signIn(ann('s2')))).toBe(true);
  });

  it('returns 503 if the keys of the provider cannot be read', async () => {
    const token = provider.logoutToken({ sub: 'ann' });
    await provider.close();
    expectFailure(await send(token), 'unavailable');
    await expect(provider.close()).resolves.toBeUndefined();
  });

  it('returns 503 if the keys of the provider are malformed', async () => {
    provider.hostility = { key: ({ n: _modulus, ...key }) => key };
    expectFailure(await send(provider.logoutToken({ sub: 'ann' })), 'unavailable');
  });
});

const now = (): number => Math.floor(Date.now() / 1_000);
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('a logout token', () => {
  it.each<[string, () => string]>([
    ['of another issuer', () => provider.logoutToken({ sub: 'ann', iss: 'https://evil.example' })],
    ['for another client', () => provider.logoutToken({ sub: 'ann', aud: 'another' })],
    ['for nobody', () => provider.logoutToken({ sub: 'ann', aud: undefined })],
    ['with a nonce', () => provider.logoutToken({ sub: 'ann', nonce: 'x' })],
    ['without events', () => provider.logoutToken({ sub: 'ann', events: undefined })],
    ['with another event', () => provider.logoutToken({ sub: 'ann', events: { x: {} } })],
    [
      'whose event is no object',
      () => provider.logoutToken({ sub: 'ann', events: { [LOGOUT_EVENT]: true } }),
    ],
    ['that has expired', () => provider.logoutToken({ sub: 'ann', exp: now() - 60 })],
    ['that never expires', () => provider.logoutToken({ sub: 'ann', exp: undefined })],
    ['that is old', () => provider.logoutToken({ sub: 'ann', iat: now() - 600 })],
    ['of the future', () => provider.logoutToken({ sub: 'ann', iat: now() + 600 })],
    ['without a time', () => provider.logoutToken({ sub: 'ann', iat: undefined })],
    ['without an id', () => provider.logoutToken({ sub: 'ann', jti: undefined })],
    ['with a long id', () => provider.logoutToken({ sub: 'ann', jti: 'x'.repeat(256) })],
    ['that names nobody', () => provider.logoutToken({})],
    ['whose session is no string', () => provider.logoutToken({ sub: 'ann', sid: 5 })],
    ['of another type', () => provider.logoutToken({ sub: 'ann' }, { typ: 'at+jwt' })],
    ['with another key', () => provider.logoutToken({ sub: 'ann' }, {}, other.privateKey)],
    ['with an unknown key', () => provider.logoutToken({ sub: 'ann' }, { kid: '2' })],
    ['with a shared key', () => provider.logoutToken({ sub: 'ann' }, { alg: 'HS256' })],
    [
      'without a signature',
      () => provider.logoutToken({ sub: 'ann' }, { alg: 'none' }).replace(/[^.]*$/, ''),
    ],
    ['that is no token', () => 'x'],
    ['that is empty', () => ''],
  ])('is rejected %s', async (_, token) => {
    const session = await signIn(ann('s1'));
    const { status, headers, body } = await send(token());
    expect([status, headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(await isSignedIn(session)).toBe(true);
  });

  it('is rejected at another provider, and the second time', async () => {
    const token = provider.logoutToken({ sub: 'ann', aud: ['another', provider.clientId] });
    await ended(send(token));
    expect((await send(token)).status).toBe(400);
    const elsewhere = await OpenidProvider.start();
    expect((await send(elsewhere.logoutToken({ sub: 'ann' }))).status).toBe(400);
    await elsewhere.close();
  });

  it('is read from a form of up to 16 kB, with the field once', async () => {
    const bare = new ConsoleClient(origin);
    const post = (body: unknown): Promise<ApiResponse> =>
      bare.post(`/providers/${id}/logout`, body);
    expectFailure(await post({ logout_token: 'x' }), 'unsupported_media_type');
    for (const fields of ['x=1', 'logout_token=1&logout_token=2']) {
      const rejected = await post(new FileBody(FORM, fields));
      expect(rejected).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    }
    const large = new FileBody(FORM, `logout_token=${'x'.repeat(20_000)}`);
    expectFailure(await post(large), 'payload_too_large');
    const token = provider.logoutToken({ sub: 'nobody' });
    const more = await post(new FileBody(FORM, `state=1&logout_token=${token}`));
    expect(more.status).toBe(200);
  });
});
