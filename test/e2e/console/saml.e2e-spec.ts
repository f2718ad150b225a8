import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserService } from '../../../src/auth/user/user.service';
import { ApiClient, type ApiResponse, type Json } from '../../support/api-client';
import { CONSOLE, ConsoleClient, cookieOf } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { beginAt } from '../../support/openid-provider';
import {
  completeIn,
  deliver,
  EMAIL_FORMAT,
  newSigningKey,
  PERSISTENT,
  queryOf,
  readRequest,
  SamlProvider,
  type SamlPerson,
  signInBySaml,
  type SigningKey,
} from '../../support/saml-provider';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const PROOF = { currentPassword: PASSWORD };

let app: TestApp;
let origin: string;
let keys: SigningKey[];
let provider: SamlProvider;
let owner: Member;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
  keys = await Promise.all([365, 365, 20].map((days) => newSigningKey(days)));
});

afterAll(() => app.close());

beforeEach(async () => {
  provider = new SamlProvider(keyAt(0));
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = new ConsoleClient(origin, (await app.console(owner)).token);
});

function keyAt(index: number): SigningKey {
  const key = keys[index];
  if (!key) throw new Error('There is no such key.');
  return key;
}

const create = (more: object = {}): Promise<ApiResponse> =>
  console_.post('/providers/saml', {
    ...{ name: 'Company', ...provider.settings, trustsEmail: true, ...PROOF, ...more },
  });

async function newProvider(more: object = {}): Promise<string> {
  return String(dataOf(await create(more), 201)['id']);
}

const signIn = (id: string, person: SamlPerson): Promise<ApiResponse> =>
  signInBySaml(provider, origin, id, person);

const invited = (): SamlPerson => ({ attributes: { email: owner.email } });

const lastEvents = async (count: number): Promise<Json[]> =>
  (await console_.get(`/data/audit-events?limit=${String(count)}`)).body.data as Json[];

describe('a SAML provider', () => {
  it('signs in a user with the same address, and then by the persistent NameID', async () => {
    const id = await newProvider();
    expect(dataOf(await signIn(id, invited()), 200)).toMatchObject({ user: { id: owner.userId } });
    expect(await lastEvents(2)).toMatchObject([
      { action: 'sign_in', details: { factor: 'provider' } },
      { action: 'identity_bound', details: { provider: 'Company' } },
    ]);
    const renamed = { attributes: { email: 'another@example.com' } };
    expect(dataOf(await signIn(id, renamed), 200)).toMatchObject({ user: { id: owner.userId } });
  });

  it('is asked for a persistent NameID, with the entity ID and the ACS URL', async () => {
    const id = await newProvider();
    const { url } = await beginAt(origin, id);
    expect(url).toMatch(/^https:\/\/idp\.example\/sso\?tenant=1&/);
    const { issuer, acsUrl, relayState, xml, id: requestId } = readRequest(url);
    expect({ issuer, acsUrl }).toEqual({
      issuer: `${origin}/console/api/providers/${id}/metadata`,
      acsUrl: `${origin}/console/api/providers/${id}/saml`,
    });
    expect(relayState).toMatch(/^[\w-]{43}$/);
    expect(requestId).toMatch(/^_[\w-]{43}$/);
    expect(xml).toContain(`Format="${PERSISTENT}"`);
    expect(xml).not.toContain('RequestedAuthnContext');
  });

  it.each([
    'email',
    'mail',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
  ])('may send the address as the attribute %s', async (name) => {
    const id = await newProvider();
    expect((await signIn(id, { attributes: { [name]: owner.email } })).status).toBe(200);
  });

  it('may send the address as the NameID, in any case', async () => {
    const id = await newProvider();
    const person = { nameIdFormat: EMAIL_FORMAT, nameId: owner.email.toUpperCase() };
    expect((await signIn(id, person)).status).toBe(200);
    const again = { ...person, nameId: owner.email };
    expect(dataOf(await signIn(id, again), 200)).toMatchObject({ user: { id: owner.userId } });
  });

  it('keeps persons apart whose NameIDs only look alike', async () => {
    const domain = `${owner.accountId.slice(0, 8)}.example`;
    const id = await newProvider({ newUserRole: 'viewer', newUserDomains: [domain] });
    const ids: unknown[] = [];
    for (const nameId of [`strasse@${domain}`, `straße@${domain}`]) {
      const person = {
        nameIdFormat: EMAIL_FORMAT,
        nameId,
        attributes: { email: `${String(ids.length)}@${domain}` },
      };
      ids.push(dataOf(await signIn(id, person), 200)['user'].id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('signs in nobody without one address, and by none that owners do not trust', async () => {
    const id = await newProvider();
    expectFailure(await signIn(id, {}), 'forbidden');
    const both = { attributes: { email: [owner.email, 'other@example.com'] } };
    expectFailure(await signIn(id, both), 'forbidden');
    const untrusted = await newProvider({ trustsEmail: false });
    const response = await signIn(untrusted, invited());
    expectFailure(response, 'forbidden');
    expect(response.text).toContain('does not trust the email addresses');
  });

  it('creates users in listed domains, and reaches nobody of another account', async () => {
    const other = await app.newAccount();
    const id = await newProvider();
    expectFailure(await signIn(id, { attributes: { email: other.email } }), 'forbidden');
    const open = await newProvider({ newUserRole: 'viewer', newUserDomains: ['Example.com'] });
    const stranger = { nameId: 'p2', attributes: { email: 'saml@example.com' } };
    expect(dataOf(await signIn(open, stranger), 200)).toMatchObject({
      user: { email: 'saml@example.com', role: 'viewer' },
    });
  });

  it('does not sign in a suspended user', async () => {
    const member = await app.newUser(owner.accountId, 'viewer');
    await app.nest.get(UserService).setSuspended(member.email, true);
    const person = { nameId: 'p5', attributes: { email: member.email } };
    expectFailure(await signIn(await newProvider(), person), 'account_suspended');
  });

  it('starts a session that ends with that of the provider, and after twelve hours', async () => {
    const id = await newProvider();
    for (const [provided, hours] of [
      [3, 3],
      [null, 12],
      [48, 12],
    ] as const) {
      const sessionNotOnOrAfter = provided === null ? null : provided * 3_600;
      provider.hostility = { assertion: { sessionNotOnOrAfter } };
      const { expiresAt } = dataOf(await signIn(id, invited()), 200);
      const hoursLeft = (Date.parse(String(expiresAt)) - Date.now()) / 3_600_000;
      expect(Math.round(hoursLeft)).toBe(hours);
    }
  });

  it('may sign the response in addition to the assertion', async () => {
    provider.hostility = { signs: ['Assertion', 'Response'] };
    expect((await signIn(await newProvider(), invited())).status).toBe(200);
  });

  it('may change its key while both certificates are entered', async () => {
    const certificates = [keyAt(0).certificate, keyAt(1).certificate];
    const id = await newProvider({ certificates });
    expect((await signIn(id, invited())).status).toBe(200);
    provider.hostility = { key: keyAt(1) };
    expect((await signIn(id, invited())).status).toBe(200);
    const { url, browser } = await beginAt(origin, id);
    const change = { certificates: [keyAt(0).certificate], ...PROOF };
    expect((await console_.patch(`/providers/${id}/saml`, change)).status).toBe(200);
    expectFailure(await signIn(id, invited()), 'conflict');
    const late = queryOf(await deliver(origin, id, provider.signIn(url, invited())));
    expectFailure(await completeIn(id, browser, late), 'unauthenticated');
  });

  it('ends the sessions that it started when one of its certificates is removed', async () => {
    const certificates = [keyAt(0).certificate, keyAt(1).certificate];
    const id = await newProvider({ certificates });
    const session = new ConsoleClient(origin, cookieOf(await signIn(id, invited())).token);
    const change = (to: object): Promise<ApiResponse> =>
      console_.patch(`/providers/${id}/saml`, { ...to, ...PROOF });
    for (const kept of [{ name: 'Firm' }, { certificates: [...certificates].reverse() }]) {
      expect((await change(kept)).status).toBe(200);
      expect((await session.get('/session')).status).toBe(200);
    }
    expect((await change({ certificates: [keyAt(0).certificate] })).status).toBe(200);
    expectFailure(await session.get('/session'), 'unauthenticated');
  });

  it('ends the sessions that it started when it is removed', async () => {
    const id = await newProvider();
    const { url, browser } = await beginAt(origin, id);
    const query = queryOf(await deliver(origin, id, provider.signIn(url, invited())));
    const response = await completeIn(id, browser, query);
    const cookies = response.headers.getSetCookie().find((each) => each.includes('session'));
    const [cookie = ''] = (cookies ?? '').split(';');
    const session = new ApiClient(origin, undefined, CONSOLE, { cookie });
    expect((await session.get('/session')).status).toBe(200);
    expect((await console_.post(`/providers/${id}/removal`, PROOF)).status).toBe(204);
    expectFailure(await session.get('/session'), 'unauthenticated');
    expectFailure(await deliver(origin, id, provider.signIn(url, invited())), 'not_found');
  });

  it('reads the metadata of the service', async () => {
    const id = await newProvider();
    const response = await new ConsoleClient(origin).get(`/providers/${id}/metadata`);
    expect(response.headers.get('content-type')).toBe(
      'application/samlmetadata+xml; charset=utf-8',
    );
    expect(response.text).toContain(`entityID="${origin}/console/api/providers/${id}/metadata"`);
    expect(response.text).toContain(`Location="${origin}/console/api/providers/${id}/saml"`);
    expect(response.text).toContain('WantAssertionsSigned="true"');
    expectFailure(await new ConsoleClient(origin).get(`/providers/${NO_ID}/metadata`), 'not_found');
  });
});

describe('the metadata of SAML providers', () => {
  const read = (body: object): Promise<ApiResponse> =>
    console_.post('/providers/saml/metadata', body);

  it('are read from text, or once from a URL', async () => {
    const { issuer: entityId, ssoUrl } = provider;
    const expected = { entityId, ssoUrl, certificates: [expect.stringContaining('BEGIN')] };
    expect(dataOf(await read({ xml: provider.metadata() }), 200)).toEqual(expected);
    await serving(
      (response) => response.end(provider.metadata()),
      async (url) => {
        expect(dataOf(await read({ url }), 200)).toEqual(expected);
      },
    );
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end(provider.metadata())],
    ['a redirect', (response) => response.writeHead(302, { location: '/x' }).end()],
    ['a megabyte', (response) => response.end('x'.repeat(1024 * 1024))],
    ['nothing', (response) => response.destroy()],
  ])('are not read from a URL that returns %s', async (_, handle) => {
    await serving(handle, async (url) => {
      expectFailure(await read({ url }), 'conflict');
    });
  });

  it('are not read from forbidden addresses, and not without a source', async () => {
    expectFailure(await read({ url: 'http://169.254.169.254/metadata' }), 'conflict');
    expectFailure(await read({ url: 'file:///etc/passwd' }), 'invalid_request', [
      'url invalid_format',
    ]);
    expectFailure(await read({}), 'invalid_request', ['xml required']);
    expectFailure(await read({ xml: 'x' }), 'conflict');
  });
});

/** Runs a step with the URL of a server. */
async function serving(
  handle: (response: ServerResponse) => void,
  step: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((_, response) => {
    handle(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await step(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/metadata`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('the settings of SAML providers', () => {
  it('are for owners who sign in again, and show when certificates expire', async () => {
    const id = await newProvider({ certificates: [keyAt(2).certificate] });
    expect((await console_.get('/providers')).body.data).toMatchObject([
      {
        ...{ id, kind: 'saml', name: 'Company', issuer: provider.issuer, clientId: null },
        ...{ ssoUrl: provider.ssoUrl, trustsEmail: true },
        certificates: [
          {
            pem: expect.stringContaining('BEGIN CERTIFICATE'),
            fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
            expiresAt: expect.stringMatching(/^\d{4}-/),
          },
        ],
        entityId: `${origin}/console/api/providers/${id}/metadata`,
        redirectUri: `${origin}/console/api/providers/${id}/saml`,
        signInUrl: `${origin}/sign-in/${id}`,
      },
    ]);
    expectFailure(await create({ currentPassword: 'wrong' }), 'invalid_request', [
      'currentPassword wrong_password',
    ]);
    const admin = await app.console(await app.newUser(owner.accountId, 'admin'));
    expectFailure(await admin.post('/providers/saml', {}), 'forbidden');
    expectFailure(await admin.post('/providers/saml/metadata', { xml: '' }), 'forbidden');
    const stranger = await app.newAccount();
    await app.setPassword(stranger, PASSWORD);
    const other = await app.console(stranger);
    expectFailure(await other.patch(`/providers/${id}/saml`, PROOF), 'not_found');
  });

  it('log that the last certificate of a provider that is used expires', async () => {
    provider = new SamlProvider(keyAt(2));
    expect((await signIn(await newProvider(), invited())).status).toBe(200);
    expect(JSON.stringify(app.logs)).toContain('certificate of identity provider expires');
  });

  it('can be changed, and only as those of a SAML provider', async () => {
    const id = await newProvider();
    const change = { name: 'Firm', ssoUrl: 'https://idp.example/new', newUserRole: null, ...PROOF };
    expect(dataOf(await console_.patch(`/providers/${id}/saml`, change), 200)).toMatchObject({
      ...{ name: 'Firm', ssoUrl: 'https://idp.example/new', trustsEmail: true },
    });
    expect((await beginAt(origin, id)).url).toMatch(/^https:\/\/idp\.example\/new\?/);
    expectFailure(await console_.patch(`/providers/${id}`, PROOF), 'not_found');
    expect(await lastEvents(1)).toMatchObject([
      { action: 'provider_updated', details: { properties: 'name, newUserRole, ssoUrl' } },
    ]);
  });

  it('are rejected with certificates that nobody should trust', async () => {
    const [weak, expired] = await Promise.all([newSigningKey(365, 1024), newSigningKey(-1)]);
    for (const text of [weak.certificate, expired.certificate, 'x', keyAt(0).key]) {
      expectFailure(await create({ certificates: [text] }), 'invalid_request', [
        'certificates invalid_format',
      ]);
    }
  });

  it.each([
    ['issuer', '', 'issuer out_of_range'],
    ['ssoUrl', 'javascript:alert(1)', 'ssoUrl invalid_format'],
    ['ssoUrl', 'https://a:b@example.com', 'ssoUrl invalid_format'],
    ['ssoUrl', 'https://a.0x4/', 'ssoUrl invalid_format'],
    ['certificates', [], 'certificates invalid_format'],
    ['certificates', [5], 'certificates invalid_format'],
    ['certificates', ['a', 'b', 'c', 'd', 'e', 'f'], 'certificates invalid_format'],
    ['newUserRole', 'viewer', 'newUserDomains required'],
    ['clientId', 'x', 'clientId unknown_property'],
  ])('are rejected if %s is %j', async (name, value, detail) => {
    expectFailure(await create({ [name]: value }), 'invalid_request', [detail]);
  });
});
