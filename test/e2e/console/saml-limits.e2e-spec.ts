import { ProviderService } from '../../../src/auth/provider/provider.service';
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

  it('is checked with a permit of the account', async () => {
    const id = await newProvider();
    const { url, browser } = await beginAt(origin, id);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const providers = app.nest.get(ProviderService);
    const held = [1, 2, 3, 4].map(() => providers.whileSigningIn(owner.accountId, () => ended));
    let isDelivered = false;
    const delivery = deliver(origin, id, provider.signIn(url, person())).finally(() => {
      isDelivered = true;
    });
    const { signingIn } = providers as unknown as {
      readonly signingIn: { readonly state: { readonly waiting: number } };
    };
    await eventually(() => isDelivered || signingIn.state.waiting === 1);
    expect(isDelivered).toBe(false);
    end();
    await Promise.all(held);
    expect((await completeIn(id, browser, queryOf(await delivery))).status).toBe(200);
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
