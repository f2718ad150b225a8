import { SAML } from '@node-saml/node-saml';
import { SamlSignInService } from '../../../src/auth/provider/saml-sign-in.service';
import { ConsoleSamlService } from '../../../src/console-api/provider/console-saml.service';
import type { AccountSemaphore } from '../../../src/platform/fairness/account-semaphore';
import type { CheckPermits } from '../../../src/platform/throttling/check-permits';
import type { RateCounter } from '../../../src/platform/throttling/rate-counter';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { beginAt } from '../../support/openid-provider';
import {
  completeIn,
  deliver,
  newSigningKey,
  queryOf,
  SamlProvider,
  type SamlPerson,
  signInBySaml,
  type SigningKey,
} from '../../support/saml-provider';
import { TestApp, type Member } from '../../support/test-app';

/** Permits of an account, with a rate. */
interface Permits extends Pick<CheckPermits, 'acquire'> {
  readonly rate: RateCounter;
}

const PASSWORD = 'a password of the tests';
const PROOF = { currentPassword: PASSWORD };

let app: TestApp;
let origin: string;
let key: SigningKey;
let owner: Member;
let console_: ConsoleClient;
let provider: SamlProvider;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
  key = await newSigningKey();
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = new ConsoleClient(origin, (await app.console(owner)).token);
  provider = new SamlProvider(key);
});

afterEach(() => jest.restoreAllMocks());

async function newProvider(more: object = {}): Promise<string> {
  const body = { name: 'Company', ...provider.settings, trustsEmail: true, ...PROOF, ...more };
  return String(dataOf(await console_.post('/providers/saml', body), 201)['id']);
}

const person = (): SamlPerson => ({ attributes: { email: owner.email } });
const signIn = (id: string): Promise<ApiResponse> => signInBySaml(provider, origin, id, person());

const TRANSFORM = '<Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>';

/** Returns a response whose signature lists prefixes, which the library reads before it checks anything. */
const withLists =
  (...lists: readonly string[]) =>
  (xml: string): string => {
    expect(xml).toContain(TRANSFORM);
    const inner = lists.map(
      (list) =>
        `<InclusiveNamespaces PrefixList="${list}" xmlns="http://www.w3.org/2001/10/xml-exc-c14n#"/>`,
    );
    return xml.replace(TRANSFORM, TRANSFORM.replace('/>', `>${inner.join('')}</Transform>`));
  };

const withNamespaces =
  (count: number) =>
  (xml: string): string => {
    const names = Array.from({ length: count }, (_, n) => ` xmlns:a${String(n)}="urn:a"`);
    return xml.replace('<samlp:Response', `<samlp:Response${names.join('')}`);
  };

describe('a SAML response', () => {
  it.each<[string, RegExp, (xml: string) => string]>([
    ['a long list of prefixes', /invalid response/, withLists(' '.repeat(501))],
    ['several lists of prefixes', /invalid response/, withLists('a', 'b')],
    [
      'many elements in its signature',
      /invalid response/,
      (xml) => xml.replace('</Signature>', `<KeyInfo>${'<x/>'.repeat(100)}</KeyInfo>$&`),
    ],
    ['many namespaces', /invalid response/, withNamespaces(110)],
    // The signature is checked only in these.
    ['a list of 500 characters', /signature .* does not match/, withLists('a'.repeat(500))],
  ])('with %s signs in nobody', async (_, message, signed) => {
    provider.hostility = { signed };
    const response = await signIn(await newProvider());
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toMatch(message);
  });

  it('may have many attributes, each with namespaces, and some more around them', async () => {
    const values = Array.from({ length: 150 }, (_, n) => [
      `a${String(n)}" xmlns:xs="http://www.w3.org/2001/XMLSchema`,
      'x',
    ]);
    const attributes = { ...Object.fromEntries(values), email: owner.email };
    provider.hostility = { unsigned: withNamespaces(50), assertion: { attributes } };
    expect((await signIn(await newProvider())).status).toBe(200);
  });

  it('is read by the library only if a certificate of the provider has signed it, and once', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => newSigningKey()));
    const certificates = [...others, key].map(({ certificate }) => certificate);
    const id = await newProvider({ certificates });
    const validate = jest.spyOn(SAML.prototype, 'validatePostResponseAsync');
    provider.hostility = {
      signed: (xml) => xml.replace(/(<SignatureValue>)[^<]*/, `$1${'A'.repeat(342)}==`),
      unsigned: (xml) => xml.replace('</samlp:Response>', `${'<x/>'.repeat(2_300)}$&`),
    };
    const response = await signIn(id);
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toMatch(/signature .* does not match/);
    expect(validate).not.toHaveBeenCalled();
    provider.hostility = { signs: ['Assertion', 'Response'] };
    expect((await signIn(id)).status).toBe(200);
    expect(validate).toHaveBeenCalledTimes(1);
  });

  it('is not read again in other clothes', async () => {
    const id = await newProvider();
    const { url, browser } = await beginAt(origin, id);
    const { SAMLResponse } = provider.signIn(url, person());
    const xml = Buffer.from(SAMLResponse, 'base64').toString();
    const padded = xml
      .replace('</samlp:Response>', `${'<x/>'.repeat(2_000)}$&`)
      .replace(/(<SignatureValue>)([^<]*)/, '$1 $2 ');
    expect(padded.length).toBeGreaterThan(xml.length + 8_000);
    const validate = jest.spyOn(SAML.prototype, 'validatePostResponseAsync');
    for (const sent of [xml, padded, padded]) {
      const { url: next } = await beginAt(origin, id);
      const { RelayState } = provider.signIn(next, person());
      const form = { SAMLResponse: Buffer.from(sent).toString('base64'), RelayState };
      await deliver(origin, id, form);
    }
    expect(validate).toHaveBeenCalledTimes(1);
    const query = queryOf(await deliver(origin, id, provider.signIn(url, person())));
    expect((await completeIn(id, browser, query)).status).toBe(200);
  });

  it.each([
    'http://www.w3.org/2001/10/xml-exc-c14n#',
    'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  ])('may have signatures of the form %s, with namespaces around them', async (form) => {
    const id = await newProvider();
    for (const signs of [['Assertion'], ['Assertion', 'Response']] as const) {
      provider.hostility = { unsigned: withNamespaces(5), signs, form };
      expect((await signIn(id)).status).toBe(200);
    }
  });

  it('waits for a permit of the account, and only the first to a request is checked', async () => {
    const id = await newProvider();
    const { url, browser } = await beginAt(origin, id);
    const { permits } = app.nest.get<{ readonly permits: AccountSemaphore }>(SamlSignInService);
    const held = [permits.acquireNow(owner.accountId), permits.acquireNow(owner.accountId)];
    const validate = jest.spyOn(SAML.prototype, 'validatePostResponseAsync');
    const form = provider.signIn(url, person());
    const deliveries = [1, 2, 3].map(() => deliver(origin, id, form));
    await eventually(() => permits.state.waiting === 3);
    for (const release of held) release();
    const queries = (await Promise.all(deliveries)).map(queryOf);
    const [brought, ...more] = queries.filter((each) => each.includes('code='));
    expect(more).toEqual([]);
    expect(validate).toHaveBeenCalledTimes(1);
    expect((await completeIn(id, browser, brought ?? '')).status).toBe(200);
  });
});

describe('the metadata of SAML providers', () => {
  it('are read one at a time for an account, and some times a minute', async () => {
    const read = (): Promise<ApiResponse> =>
      console_.post('/providers/saml/metadata', { xml: provider.metadata() });
    const { reads } = app.nest.get<{ readonly reads: Permits }>(ConsoleSamlService);
    const release = await reads.acquire(owner.accountId);
    expectFailure(await read(), 'rate_limited');
    release();
    expect((await read()).status).toBe(200);
    jest
      .spyOn(reads.rate, 'hit')
      .mockResolvedValue({ allowed: false, remaining: 0, resetSeconds: 7 });
    const limited = await read();
    expectFailure(limited, 'rate_limited');
    expect(limited.headers.get('retry-after')).toBe('7');
  });
});

describe('a SAML provider', () => {
  it('changes and ends its sign-ins in one step', async () => {
    const id = await newProvider();
    await beginAt(origin, id);
    const client = await app.sql.connect();
    let changed: Promise<ApiResponse>;
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM provider_sign_ins WHERE provider_id = $1 FOR UPDATE', [id]);
      changed = console_.patch(`/providers/${id}/saml`, { name: 'Firm', ...PROOF });
      await eventually(async () => (await waitingForLocks(app)) === 1);
      const name = (await new ConsoleClient(origin).get(`/providers/${id}`)).body.data.name;
      expect(name).toBe('Company');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect(dataOf(await changed, 200)).toMatchObject({ name: 'Firm' });
  });

  it('whose URL cannot be parsed hides no other one', async () => {
    const domain = `${owner.accountId.slice(0, 8)}.example`;
    const rule = { newUserRole: 'viewer', newUserDomains: [domain] };
    const [broken, good] = [await newProvider(rule), await newProvider(rule)];
    await app.sql.query('UPDATE identity_providers SET sso_url = $2 WHERE id = $1', [
      ...[broken, 'https://a.0x4/'],
    ]);
    const page = new ConsoleClient(origin);
    const found = await page.post('/providers/search', { email: `a@${domain}` });
    expect(found.body.data).toMatchObject([{ id: good, host: 'idp.example' }]);
    expectFailure(await page.get(`/providers/${broken}`), 'not_found');
  });
});
