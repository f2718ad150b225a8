import type { ServerResponse } from 'node:http';
import { UserService } from '../../../src/auth/user/user.service';
import { ApiClient, type ApiResponse, type Json } from '../../support/api-client';
import { CONSOLE, ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import {
  arriveFrom,
  beginAt,
  type Hostility,
  OpenidProvider,
  type Person,
  signInBy,
  type Traveler,
} from '../../support/openid-provider';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const PROOF = { currentPassword: PASSWORD };

let app: TestApp;
/** Public links and redirects need a name that the service knows. */
let origin: string;
let provider: OpenidProvider;
let owner: Member;
let console_: ConsoleClient;

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
});

afterEach(() => provider.close());

const create = (more: object = {}): Promise<ApiResponse> =>
  console_.post('/providers', { name: 'Company', ...provider.settings, ...PROOF, ...more });

async function newProvider(more: object = {}): Promise<string> {
  return String(dataOf(await create(more), 201)['id']);
}

const begin = (id: string): Promise<Traveler> => beginAt(origin, id);

const signIn = (id: string, person: Person): Promise<ApiResponse> =>
  signInBy(provider, origin, id, person);

const invited = (): Person => ({
  sub: 'p1',
  email: owner.email.toUpperCase(),
  email_verified: true,
});

const lastEvents = async (count: number): Promise<Json[]> =>
  (await console_.get(`/data/audit-events?limit=${String(count)}`)).body.data as Json[];

describe('a provider', () => {
  it('signs in a user with the same verified address, and then by the identifier', async () => {
    const id = await newProvider();
    expect(dataOf(await signIn(id, invited()), 200)).toMatchObject({ user: { id: owner.userId } });
    expect(await lastEvents(2)).toMatchObject([
      { action: 'sign_in', details: { factor: 'provider' } },
      { action: 'identity_bound', details: { provider: 'Company' } },
    ]);
    const renamed = { sub: 'p1', email: 'another@example.com' };
    expect(dataOf(await signIn(id, renamed), 200)).toMatchObject({ user: { id: owner.userId } });
  });

  it('is asked with PKCE, a state and a nonce', async () => {
    const id = await newProvider();
    const { searchParams: query } = new URL((await begin(id)).url);
    expect(Object.fromEntries(query)).toMatchObject({
      ...{ response_type: 'code', client_id: provider.clientId, scope: 'openid email profile' },
      redirect_uri: `${origin}/sign-in/${id}/callback`,
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await signIn(id, invited())).status).toBe(200);
    expect(provider.tokenRequests[0]?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  it('does not sign in who is no user, unless it creates users', async () => {
    const stranger = { sub: 'p2', email: 'new@example.com', email_verified: true };
    const closed = await newProvider();
    expectFailure(await signIn(closed, stranger), 'forbidden');
    const open = await newProvider({ newUserRole: 'viewer', newUserDomains: ['Example.com'] });
    const session = dataOf(await signIn(open, stranger), 200);
    expect(session).toMatchObject({ user: { email: 'new@example.com', role: 'viewer' } });
  });

  it('does not sign in by an address that it does not call verified, unless it is trusted', async () => {
    const id = await newProvider();
    for (const email_verified of [undefined, false, 'false', 1]) {
      const person = { sub: 'p1', email: owner.email, email_verified };
      expectFailure(await signIn(id, person), 'forbidden');
    }
    expectFailure(await signIn(id, { sub: 'p1' }), 'forbidden');
    const trusted = await newProvider({ trustsEmail: true });
    const denied = { sub: 'p1', email: owner.email, email_verified: false };
    expectFailure(await signIn(trusted, denied), 'forbidden');
    expect((await signIn(trusted, { sub: 'p1', email: owner.email })).status).toBe(200);
  });

  it('signs in nobody by an address that only looks like that of a user', async () => {
    const domain = `company-${owner.accountId.slice(0, 8)}.example`;
    await app.nest.get(UserService).create(owner.accountId, `mike@${domain}`, 'admin', 'service');
    const id = await newProvider({ newUserRole: 'viewer', newUserDomains: [domain] });
    const addresses = [
      `m\u0131ke@${domain}`,
      `mi\u212ae@${domain}`,
      `mike@${domain.replace('c', 'C').replace('example', 'ﬀ.example')}`,
    ];
    for (const email of addresses) {
      expectFailure(await signIn(id, { sub: email, email, email_verified: true }), 'forbidden');
    }
    const same = { sub: 'p1', email: `MIKE@${domain.toUpperCase()}`, email_verified: true };
    expect(dataOf(await signIn(id, same), 200)).toMatchObject({ user: { role: 'admin' } });
  });

  it('creates users in the domains that are listed, and not in those that look like them', async () => {
    const name = owner.accountId.slice(0, 8);
    const id = await newProvider({
      newUserRole: 'viewer',
      newUserDomains: [`${name}strasse.example`, `${name}MÜNCHEN.example`],
    });
    const stranger = (email: string): Promise<ApiResponse> =>
      signIn(id, { sub: email, email, email_verified: true });
    expectFailure(await stranger(`a@${name}straße.example`), 'forbidden');
    expectFailure(await stranger(`a@${name}munchen.example`), 'forbidden');
    expect((await stranger(`b@${name}STRASSE.example`)).status).toBe(200);
    expect((await stranger(`c@${name}münchen.example`)).status).toBe(200);
    const page = new ConsoleClient(origin);
    for (const [domain, count] of [
      [`${name}münchen.example`, 1],
      [`${name}straße.example`, 0],
    ] as const) {
      const found = await page.post('/providers/search', { email: `x@${domain}` });
      expect(found.body.data).toHaveLength(count);
    }
  });

  it('reaches no user of another account, and no second person the same user', async () => {
    const other = await app.newAccount();
    const id = await newProvider();
    const person = { sub: 'p3', email: other.email, email_verified: true };
    expectFailure(await signIn(id, person), 'forbidden');
    expect((await signIn(id, invited())).status).toBe(200);
    expectFailure(await signIn(id, { ...invited(), sub: 'p4' }), 'forbidden');
  });

  it('does not sign in a suspended user', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    await app.nest.get(UserService).setSuspended(member.email, true);
    const id = await newProvider();
    const person = { sub: 'p5', email: member.email, email_verified: true };
    expectFailure(await signIn(id, person), 'account_suspended');
  });

  it('ends the sessions that it started when it is removed', async () => {
    const id = await newProvider();
    const { url, browser } = await begin(id);
    const response = await arriveFrom(id, browser, provider.signIn(url, invited()));
    const cookies = response.headers.getSetCookie().find((each) => each.includes('session'));
    const [cookie = ''] = (cookies ?? '').split(';');
    const session = new ApiClient(origin, undefined, CONSOLE, { cookie });
    expect((await session.get('/session')).status).toBe(200);
    expect((await console_.post(`/providers/${id}/removal`, PROOF)).status).toBe(204);
    expectFailure(await session.get('/session'), 'unauthenticated');
    expect((await console_.get('/session')).status).toBe(200);
    expectFailure(await new ConsoleClient(origin).post(`/providers/${id}/sign-in`), 'not_found');
  });
});

describe('the way back from a provider', () => {
  it('is open once, to the browser that began, and only at its own provider', async () => {
    const [id, other] = [await newProvider(), await newProvider()];
    const { url, browser } = await begin(id);
    const query = provider.signIn(url, invited());
    const { browser: stranger } = await begin(id);
    expectFailure(await arriveFrom(id, stranger, query), 'unauthenticated');
    expectFailure(await arriveFrom(id, new ConsoleClient(origin), query), 'unauthenticated');
    expectFailure(await arriveFrom(other, browser, query), 'unauthenticated');
    expect((await arriveFrom(id, browser, query)).status).toBe(200);
    expectFailure(await arriveFrom(id, browser, query), 'unauthenticated');
  });

  it('is closed after ten minutes', async () => {
    const id = await newProvider();
    const { url, browser } = await begin(id);
    await app.sql.query("UPDATE provider_sign_ins SET expires_at = now() - interval '1 second'");
    expectFailure(
      await arriveFrom(id, browser, provider.signIn(url, invited())),
      'unauthenticated',
    );
  });

  it.each<[string, Hostility]>([
    ['of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['for another client', { claims: (claims) => ({ ...claims, aud: 'another' }) }],
    ['for another request', { claims: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['without a nonce', { claims: (claims) => ({ ...claims, nonce: undefined }) }],
    ['that has expired', { claims: (claims) => ({ ...claims, exp: 1 }) }],
    ['without a subject', { claims: (claims) => ({ ...claims, sub: undefined }) }],
    ['with another signature', { token: (token) => `${token.slice(0, -8)}AAAAAAAA` }],
    [
      'without a signature',
      { token: (token) => `eyJhbGciOiJub25lIn0.${token.split('.')[1] ?? ''}.` },
    ],
  ])('rejects an ID token %s', async (_, hostility) => {
    const id = await newProvider();
    provider.hostility = hostility;
    expectFailure(await signIn(id, invited()), 'conflict');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end('x')],
    ['no JSON', (response) => response.end('<html>')],
    ['a redirect', (response) => response.writeHead(302, { location: '/keys' }).end()],
    ['a megabyte', (response) => response.end('x'.repeat(1024 * 1024))],
    ['nothing', (response) => response.destroy()],
  ])('is closed if the provider returns %s', async (_, atToken) => {
    const id = await newProvider();
    provider.hostility = { atToken };
    expectFailure(await signIn(id, invited()), 'conflict');
  });

  it('rejects the response of another issuer, and an error of the provider', async () => {
    const id = await newProvider();
    for (const change of [{ iss: 'https://evil.example' }, { error: 'access_denied' }]) {
      const { url, browser } = await begin(id);
      const query = provider.signIn(url, invited());
      for (const [name, value] of Object.entries(change)) query.set(name, value);
      expectFailure(await arriveFrom(id, browser, query), 'conflict');
    }
  });
});

describe('the settings of providers', () => {
  it('are for owners who sign in again, and never contain the secret', async () => {
    const id = await newProvider();
    const listed = await console_.get('/providers');
    expect(listed.body.data).toMatchObject([
      {
        ...{ id, name: 'Company', issuer: provider.issuer, newUserRole: null, trustsEmail: false },
        redirectUri: `${origin}/sign-in/${id}/callback`,
        signInUrl: `${origin}/sign-in/${id}`,
      },
    ]);
    const { rows } = await app.sql.query(
      'SELECT e::text FROM audit_events e WHERE account_id = $1',
      [owner.accountId],
    );
    expect(JSON.stringify([listed.body, rows, app.logs])).not.toContain(provider.clientSecret);
    expectFailure(await create({ currentPassword: 'wrong' }), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
    const admin = await app.console(await app.newUser(owner.accountId, 'admin'));
    expectFailure(await admin.get('/providers'), 'forbidden');
    const stranger = await app.newAccount();
    await app.setPassword(stranger, PASSWORD);
    const other = await app.console(stranger);
    expectFailure(await other.patch(`/providers/${id}`, PROOF), 'not_found');
    expectFailure(await other.post(`/providers/${id}/removal`, PROOF), 'not_found');
    expectFailure(await console_.post(`/providers/${NO_ID}/removal`, PROOF), 'not_found');
  });

  it('can be changed, and keep the secret that is not sent', async () => {
    const id = await newProvider();
    const change = { name: 'Firm', newUserRole: 'editor', newUserDomains: ['a.example'], ...PROOF };
    expect(dataOf(await console_.patch(`/providers/${id}`, change), 200)).toMatchObject({
      ...{ name: 'Firm', newUserRole: 'editor', trustsEmail: false },
    });
    expect((await signIn(id, invited())).status).toBe(200);
    const lost = { clientSecret: 'another', ...PROOF };
    expect((await console_.patch(`/providers/${id}`, lost)).status).toBe(200);
    expectFailure(await signIn(id, invited()), 'conflict');
  });

  it.each([
    ['issuer', 'not a url', 'issuer invalid_format'],
    ['issuer', 'ftp://example.com', 'issuer invalid_format'],
    ['issuer', 'https://example.com/?x=1', 'issuer invalid_format'],
    ['clientId', '', 'clientId out_of_range'],
    ['clientSecret', 5, 'clientSecret wrong_type'],
    ['newUserRole', 'owner', 'newUserRole not_a_choice'],
    ['newUserRole', 'viewer', 'newUserDomains required'],
    ['newUserDomains', ['x y'], 'newUserDomains invalid_format'],
    ['issuer', 'https://a:b@example.com', 'issuer invalid_format'],
    ['issuer', 'https://a.0x4', 'issuer invalid_format'],
    ['trustsEmail', 'yes', 'trustsEmail wrong_type'],
  ])('are rejected if %s is %j', async (name, value, detail) => {
    expectFailure(await create({ [name]: value }), 'invalid_request', [detail]);
  });

  it('are not accepted of a provider that is away, or has another issuer', async () => {
    expectFailure(await create({ issuer: 'http://127.0.0.1:1' }), 'conflict');
    provider.hostility = {
      metadata: (metadata) => ({ ...metadata, issuer: 'https://evil.example' }),
    };
    expectFailure(await create(), 'conflict');
  });
});
