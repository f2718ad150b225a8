/** Texts about SAML providers, for owners. */
export const samlText = {
  kind: {
    title: 'Add a provider',
    hint: 'Choose the protocol that your provider speaks. If it speaks both, choose OpenID Connect.',
    openid: 'OpenID Connect',
    saml: 'SAML 2.0',
  },
  add: 'Add a SAML provider',
  source: 'Metadata of the provider',
  sourceHint: 'Paste the XML, or its URL.',
  read: 'Fill in from the metadata',
  name: 'Name',
  issuer: 'Entity ID',
  ssoUrl: 'Sign-on URL',
  certificates: 'Signing certificates',
  domains: 'Domains of new users',
  trustsEmail: 'Trust the email addresses of the provider',
  hints: {
    name: 'Shown on the sign-in page.',
    issuer: 'Name of the provider in its metadata. It cannot be changed later.',
    ssoUrl: 'For requests with HTTP-Redirect.',
    certificates:
      'PEM, one to five. While the provider changes its key, enter the old and the new one.',
    domains: 'Such as example.com. Needed to let people in who were not invited.',
    trustsEmail:
      'A SAML provider does not say whether an address is verified. Without this, nobody can sign in for the first time. Trust it only if people cannot choose their address at the provider: otherwise one of them could sign in as another user.',
  },
  entityId: 'Entity ID of this service, at which its metadata are',
  copyEntityId: 'Copy the entity ID',
  acsUrl: 'ACS URL, which receives the responses',
  copyAcsUrl: 'Copy the ACS URL',
  expiry: {
    title: 'Certificate expires',
    soon: (name: string, day: string) =>
      `The certificate of ${name} expires on ${day}. Enter the next one before that, or nobody can sign in by it.`,
    past: (name: string) =>
      `The certificate of ${name} has expired. Nobody can sign in by it until the new one is entered.`,
  },
} as const;
