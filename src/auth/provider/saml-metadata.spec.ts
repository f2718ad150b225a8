import { newSigningKey, SamlProvider, type SigningKey } from '../../../test/support/saml-provider';
import { readMetadata } from './saml-metadata';

let keys: SigningKey[];
let expired: SigningKey;
let provider: SamlProvider;

beforeAll(async () => {
  keys = await Promise.all([1, 2, 3, 4, 5, 6].map(() => newSigningKey()));
  expired = await newSigningKey(-1);
  const [first] = keys;
  if (!first) throw new Error('There is no key.');
  provider = new SamlProvider(first);
});

const certificates = (count: number): string[] =>
  keys.slice(0, count).map(({ certificate }) => certificate);

const pem = (text: string): string => text.replaceAll(/\s/g, '');

describe('the metadata of a SAML provider', () => {
  it('have its entity ID, the URL for redirects and its certificates', () => {
    const read = readMetadata(provider.metadata(certificates(2)));
    expect(read).toMatchObject({ entityId: provider.issuer, ssoUrl: provider.ssoUrl });
    expect(read.certificates.map(pem)).toEqual(certificates(2).map(pem));
  });

  it('may be in a list with services, begin with a declaration, and repeat a certificate', () => {
    const list = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>
      <EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">
        ${provider.metadata([...certificates(1), ...certificates(1)])}
        <EntityDescriptor entityID="x"><SPSSODescriptor/></EntityDescriptor>
      </EntitiesDescriptor>`;
    expect(readMetadata(list).certificates).toHaveLength(1);
  });

  it('may have certificates that have expired or are for encryption, which are left out', () => {
    const more = provider.metadata([expired.certificate, ...certificates(1)]);
    expect(readMetadata(more).certificates).toHaveLength(1);
    const encryption = provider.metadata().replace('use="signing"', 'use="encryption"');
    expect(() => readMetadata(encryption)).toThrow(/no valid certificate/);
    const both = provider.metadata().replace(' use="signing"', '');
    expect(readMetadata(both).certificates).toHaveLength(1);
  });

  const BOMB = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
  const NOT_XML = /not XML of up to 256 KiB without a document type/;
  const NOT_ONE = /do not describe one identity provider/;

  it.each<[string, RegExp, (xml: string) => string]>([
    [
      'an external entity',
      NOT_XML,
      (xml) => `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}`,
    ],
    ['entities of entities', NOT_XML, (xml) => `<?xml version="1.0"?>${BOMB}${xml}`],
    ['an entity that is not declared', NOT_XML, (xml) => xml.replace('of the tests -->', '-->&x;')],
    ['an instruction', NOT_XML, (xml) => `<?xml-stylesheet href="x"?>${xml}`],
    ['more than 256 KiB', NOT_XML, (xml) => xml.replace('of the tests', 'x'.repeat(256 * 1024))],
    ['too many elements', NOT_XML, (xml) => xml.replace('<IDP', `${'<a/>'.repeat(10_000)}$&`)],
    ['a tag that is not closed', NOT_XML, (xml) => xml.slice(0, -3)],
    ['no XML', NOT_XML, () => 'https://idp.example/metadata'],
    ['nothing', NOT_XML, () => ''],
    ['several providers', NOT_ONE, (xml) => `<a>${xml}${xml}</a>`],
    [
      'two roles of a provider',
      NOT_ONE,
      (xml) => xml.replace(/<IDP[^]*<\/IDPSSODescriptor>/, '$&$&'),
    ],
    ['a service alone', NOT_ONE, (xml) => xml.replaceAll('IDPSSO', 'SPSSO')],
    ['no entity ID', NOT_ONE, (xml) => xml.replace(/entityID="[^"]*"/, '')],
    ['another namespace', NOT_ONE, (xml) => xml.replace('SAML:2.0:metadata', 'SAML:1.1:metadata')],
    ['no URL for redirects', /no sign-on URL/, (xml) => xml.replace('HTTP-Redirect', 'SOAP')],
    [
      'a URL that is a script',
      /no sign-on URL/,
      (xml) => xml.replace('https://idp.example/sso', 'javascript:x'),
    ],
    [
      'no certificate',
      /no valid certificate/,
      (xml) => xml.replace(/<KeyD[^]*<\/KeyDescriptor>/, ''),
    ],
    [
      'a certificate that is none',
      /no valid certificate/,
      (xml) => xml.replace(/(X509Certificate>)[^<]*/, '$1AAAA'),
    ],
  ])('are rejected with %s', (_, message, change) => {
    expect(() => readMetadata(change(provider.metadata()))).toThrow(message);
  });

  it('are rejected with more than five certificates', () => {
    expect(readMetadata(provider.metadata(certificates(5))).certificates).toHaveLength(5);
    expect(() => readMetadata(provider.metadata(certificates(6)))).toThrow(/more than 5/);
  });
});
