import { type ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { beginAt } from '../../support/openid-provider';
import {
  completeIn,
  deliver,
  type Hostility,
  newSigningKey,
  queryOf,
  SamlProvider,
  type SamlPerson,
  signInBySaml,
  type SigningKey,
} from '../../support/saml-provider';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let origin: string;
let key: SigningKey;
let foreignKey: SigningKey;
let owner: Member;
let provider: SamlProvider;
let id: string;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
  [key, foreignKey] = await Promise.all([newSigningKey(), newSigningKey()]);
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  provider = new SamlProvider(key);
  id = await newProvider();
});

afterAll(() => app.close());

beforeEach(() => {
  provider.hostility = {};
});

async function newProvider(): Promise<string> {
  const console_ = new ConsoleClient(origin, (await app.console(owner)).token);
  const body = { name: 'Company', ...provider.settings, trustsEmail: true };
  const proof = { currentPassword: PASSWORD };
  return String(dataOf(await console_.post('/providers/saml', { ...body, ...proof }), 201)['id']);
}

const person = (): SamlPerson => ({ attributes: { email: owner.email } });
const signIn = (at = id): Promise<ApiResponse> => signInBySaml(provider, origin, at, person());

const ASSERTION = /<saml:Assertion[^]*<\/saml:Assertion>/;
const SIGNATURE = /<Signature[^]*?<\/Signature>/;

/** Returns the same with another person, and without a signature. */
const forged = (assertion: string): string =>
  assertion
    .replace(SIGNATURE, '')
    .replace(/ID="_a/, 'ID="_evil')
    .replace(/>p1</, '>victim<');

const wrap = (change: (signed: string) => string): Hostility => ({
  signed: (xml) => xml.replace(ASSERTION, change),
});

describe('a response', () => {
  it.each<[string, RegExp, Hostility]>([
    ['that is not signed', /does not sign its assertions/, { signs: [] }],
    ['whose assertion is not signed', /does not sign its assertions/, { signs: ['Response'] }],
    [
      'that was changed after it was signed',
      /signature .* does not match/,
      { signed: (xml) => xml.replace('>p1<', '>p2<') },
    ],
    [
      'whose own signature is wrong',
      /signature .* does not match/,
      {
        signs: ['Assertion', 'Response'],
        signed: (xml) => xml.replace('samlp:StatusCode Value=', 'samlp:StatusCode A="1" Value='),
      },
    ],
    ['signed with SHA-1', /weak or unknown algorithm/, { signature: 'sha1' }],
    ['with a digest of SHA-1', /weak or unknown algorithm/, { digest: 'sha1' }],
    [
      'with an unknown algorithm',
      /weak or unknown algorithm/,
      {
        signed: (xml) =>
          xml.replace(
            'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
            'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
          ),
      },
    ],
    ['for another audience', /another service/, { assertion: { audience: 'https://x.example' } }],
    ['for no audience', /another service/, { assertion: { audience: null } }],
    [
      'for another recipient',
      /another service/,
      { assertion: { recipient: 'https://x.example/acs' } },
    ],
    [
      'for another destination',
      /another service/,
      { signed: (xml) => xml.replace(/Destination="[^"]*"/, 'Destination="https://x.example"') },
    ],
    ['of another issuer', /another issuer/, { assertion: { issuer: 'https://x.example' } }],
    ['that has expired', /has expired or is not valid yet/, { assertion: { notOnOrAfter: -61 } }],
    [
      'that is not valid yet',
      /has expired or is not valid yet/,
      { assertion: { notBefore: 70, notOnOrAfter: 200 } },
    ],
    [
      'of a session at the provider that has ended',
      /has expired or is not valid yet/,
      { assertion: { sessionNotOnOrAfter: -1 } },
    ],
    [
      'of a person who has not authenticated',
      /invalid response/,
      { unsigned: (xml) => xml.replace(/<saml:AuthnStatement[^]*<\/saml:AuthnStatement>/, '') },
    ],
    ['that never expires', /invalid response/, { assertion: { notOnOrAfter: null } }],
    ['to another request', /another service or sign-in/, { assertion: { inResponseTo: '_x' } }],
    ['to no request', /Begin the sign-in here/, { assertion: { inResponseTo: null } }],
    [
      'that is not for a bearer',
      /invalid response/,
      { assertion: { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' } },
    ],
    [
      'with a transient NameID',
      /must send a persistent NameID/,
      {
        assertion: { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      },
    ],
    [
      'with a NameID of no format',
      /must send a persistent NameID/,
      { assertion: { nameIdFormat: null } },
    ],
    ['with an endless NameID', /too long/, { assertion: { nameId: 'x'.repeat(257) } }],
    ['with an empty NameID', /invalid response/, { assertion: { nameId: '' } }],
    [
      'with a comment in the NameID',
      /invalid response/,
      { assertion: { nameId: 'p1<!-- -->.evil' } },
    ],
    [
      'with an unpaired surrogate in the NameID',
      /invalid response/,
      {
        assertion: { nameId: 'p\ufffd' },
        signed: (xml) => xml.replace('p\ufffd', 'p&#xD800;'),
      },
    ],
    [
      'with an unpaired surrogate in the address',
      /invalid response/,
      {
        assertion: { attributes: { email: 'a\ufffd@example.com' } },
        signed: (xml) => xml.replace('a\ufffd', 'a&#xDC00;'),
      },
    ],
    ['with a CDATA section', /invalid response/, { assertion: { nameId: '<![CDATA[p1]]>' } }],
    ['with an instruction', /invalid response/, { assertion: { nameId: 'p1<?x y?>' } }],
    [
      'with a document type',
      /invalid response/,
      { signed: (xml) => `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}` },
    ],
    [
      'with a document type after the declaration',
      /invalid response/,
      { signed: (xml) => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]>${xml}` },
    ],
    [
      'with an unknown entity',
      /invalid response/,
      { signed: (xml) => xml.replace('>p1<', '>&x;<') },
    ],
    [
      'that is encrypted',
      /which is not supported/,
      { signed: (xml) => xml.replace(ASSERTION, '<saml:EncryptedAssertion/>') },
    ],
    [
      'with an encrypted NameID',
      /which is not supported/,
      { signed: (xml) => xml.replace(/<saml:NameID[^]*<\/saml:NameID>/, '<saml:EncryptedID/>') },
    ],
    ['without an assertion', /invalid response/, { signed: (xml) => xml.replace(ASSERTION, '') }],
    [
      'that says no',
      /did not let you sign in/,
      { signed: (xml) => xml.replace('status:Success', 'status:Responder') },
    ],
    [
      'that says that it has no such NameID',
      /must send a persistent NameID/,
      {
        signed: (xml) =>
          xml.replace(
            /<samlp:StatusCode[^>]*>/,
            '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:InvalidNameIDPolicy"/></samlp:StatusCode>',
          ),
      },
    ],
    ['that is not XML', /invalid response/, { signed: () => 'x' }],
    ['with two roots', /invalid response/, { signed: (xml) => `${xml}${xml}` }],
    [
      'that is no response',
      /invalid response/,
      { signed: (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse') },
    ],
    [
      'of more than 256 KiB',
      /more than 256 KiB/,
      { assertion: { attributes: { x: 'x'.repeat(256 * 1024) } } },
    ],
    [
      'with too many elements',
      /invalid response/,
      { signed: (xml) => xml.replace('</samlp:Response>', `${'<a/>'.repeat(10_000)}$&`) },
    ],
    [
      'with elements that are too deep',
      /invalid response/,
      {
        signed: (xml) =>
          xml.replace('</samlp:Response>', `${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}$&`),
      },
    ],
  ])('%s signs in nobody', async (_, message, hostility) => {
    provider.hostility = hostility;
    const response = await signIn();
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toMatch(message);
  });

  it.each<[string, Hostility]>([
    ['before the signed one', wrap((signed) => `${forged(signed)}${signed}`)],
    ['after the signed one', wrap((signed) => `${signed}${forged(signed)}`)],
    [
      'with the signed one in its signature',
      wrap((signed) => {
        const [signature = ''] = SIGNATURE.exec(signed) ?? [];
        const inner = signed.replace(SIGNATURE, '');
        const moved = signature.replace('</Signature>', `<Object>${inner}</Object></Signature>`);
        return forged(signed).replace('<saml:Subject>', `${moved}<saml:Subject>`);
      }),
    ],
    [
      'with the signed one inside',
      wrap((signed) => forged(signed).replace('</saml:Assertion>', `${signed}</saml:Assertion>`)),
    ],
    [
      'with the same ID',
      wrap((signed) => `${forged(signed).replace(/ID="_evil/, 'ID="_a')}${signed}`),
    ],
    [
      'with the signed one in extensions',
      {
        signed: (xml) => {
          const [signed = ''] = ASSERTION.exec(xml) ?? [];
          const extensions = `<samlp:Extensions>${signed}</samlp:Extensions>`;
          return xml
            .replace(ASSERTION, forged(signed))
            .replace('<samlp:Status>', `${extensions}<samlp:Status>`);
        },
      },
    ],
    [
      'in another namespace beside the signed one',
      wrap((signed) => `${signed}<Assertion xmlns="urn:x">x</Assertion>`),
    ],
    [
      'with the signature of the signed one',
      wrap((signed) => signed.replace('>p1<', '>victim<').replace('ID="_a', 'ID="_b')),
    ],
  ])('with a forged assertion %s signs in nobody', async (_, hostility) => {
    provider.hostility = hostility;
    expectFailure(await signIn(), 'conflict');
  });

  it('signed with a key whose certificate it brings signs in nobody', async () => {
    provider.hostility = { key: foreignKey };
    const response = await signIn();
    expectFailure(response, 'conflict');
    expect(response.text).toContain('does not match the certificates');
  });

  it('signed with a certificate that has expired signs in nobody', async () => {
    const { certificate } = await newSigningKey(-1);
    const other = await newProvider();
    await app.sql.query('UPDATE identity_providers SET certificates = $2 WHERE id = $1', [
      other,
      [certificate.replaceAll(/-----.*-----|\s/g, '')],
    ]);
    const response = await signIn(other);
    expectFailure(response, 'conflict');
    expect(response.text).toContain('have expired');
  });

  it('may be a minute off by the clock of the provider', async () => {
    provider.hostility = { assertion: { notBefore: 50, notOnOrAfter: 100 } };
    expect((await signIn()).status).toBe(200);
    provider.hostility = { assertion: { notBefore: -100, notOnOrAfter: -50 } };
    expect((await signIn()).status).toBe(200);
  });
});

describe('the way back from a SAML provider', () => {
  it('is open once, to the browser that began, and only at its own provider', async () => {
    const other = await newProvider();
    const { url, browser } = await beginAt(origin, id);
    const form = provider.signIn(url, person());
    const elsewhere = queryOf(await deliver(origin, other, form));
    expectFailure(await completeIn(other, browser, elsewhere), 'unauthenticated');
    const query = queryOf(await deliver(origin, id, form));
    const { browser: stranger } = await beginAt(origin, id);
    expectFailure(await completeIn(id, stranger, query), 'unauthenticated');
    expectFailure(await completeIn(id, new ConsoleClient(origin), query), 'unauthenticated');
    expectFailure(await completeIn(other, browser, query), 'unauthenticated');
    expect((await completeIn(id, browser, query)).status).toBe(200);
    expectFailure(await completeIn(id, browser, query), 'unauthenticated');
    const replayed = queryOf(await deliver(origin, id, form));
    expectFailure(await completeIn(id, browser, replayed), 'unauthenticated');
  });

  it('is closed to a browser that began if another one has brought the response', async () => {
    const { url, browser: attacker } = await beginAt(origin, id);
    // The victim follows the URL of the attacker, and is signed in at the provider.
    const query = queryOf(await deliver(origin, id, provider.signIn(url, person())));
    const state = new URLSearchParams(query).get('state') ?? '';
    const response = await completeIn(id, attacker, `state=${state}`);
    expectFailure(response, 'conflict');
    expect(response.text).toContain('came from another browser');
    expectFailure(await completeIn(id, attacker, query), 'unauthenticated');
  });

  it('takes one response to a request, and no assertion for another request', async () => {
    const { url, browser } = await beginAt(origin, id);
    const first = queryOf(await deliver(origin, id, provider.signIn(url, person())));
    const second = queryOf(
      await deliver(origin, id, provider.signIn(url, { nameId: 'p2', ...person() })),
    );
    expect(new URLSearchParams(second).has('code')).toBe(false);
    const { url: next, browser: nextBrowser } = await beginAt(origin, id);
    const { SAMLResponse } = provider.signIn(url, person());
    const { RelayState } = provider.signIn(next, person());
    const mixed = queryOf(await deliver(origin, id, { SAMLResponse, RelayState }));
    expectFailure(await completeIn(id, nextBrowser, mixed), 'conflict');
    expect((await completeIn(id, browser, first)).status).toBe(200);
  });

  it('is closed to a sign-in that began at the provider, and says so', async () => {
    const { url, browser } = await beginAt(origin, id);
    provider.hostility = { assertion: { inResponseTo: null } };
    const { SAMLResponse } = provider.signIn(url, person());
    for (const RelayState of ['', '/users', 'https://evil.example']) {
      const query = queryOf(await deliver(origin, id, { SAMLResponse, RelayState }));
      expect(query).toBe('');
      const response = await completeIn(id, browser, query);
      expectFailure(response, 'conflict');
      expect(response.text).toContain('Begin the sign-in here');
    }
  });

  it('is closed after ten minutes', async () => {
    const { url, browser } = await beginAt(origin, id);
    await app.sql.query("UPDATE provider_sign_ins SET expires_at = now() - interval '1 second'");
    const query = queryOf(await deliver(origin, id, provider.signIn(url, person())));
    expectFailure(await completeIn(id, browser, query), 'unauthenticated');
  });

  it('leads to the page of the service, and takes only a form of up to 512 KiB', async () => {
    const response = await deliver(origin, id, {});
    expect(response.headers.get('location')).toBe(`${origin}/sign-in/${id}/callback?`);
    const page = new ConsoleClient(origin);
    expectFailure(await page.post(`/providers/${id}/saml`, {}), 'unsupported_media_type');
    expectFailure(await deliver(origin, NO_ID, {}), 'not_found');
    const large = { SAMLResponse: 'x'.repeat(513 * 1024) };
    expectFailure(await deliver(origin, id, large), 'payload_too_large');
  });
});
