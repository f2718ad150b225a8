/** Texts of the page on how the users of an account sign in. */
export const securityText = {
  title: 'Security',
  intro: 'How the users of this account sign in.',
  forbidden: 'Only owners of the account can open this page.',
  actions: 'Actions',
  setUp: 'Set up my second factor',
  providers: {
    title: 'Single sign-on',
    hint: 'Users can sign in by a provider of your company, such as Keycloak, Entra ID, Okta or Google, with OpenID Connect or SAML 2.0. The provider decides about second factors.',
    add: 'Add a provider',
    name: 'Name',
    issuer: 'Issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    keptSecret: 'Leave it empty to keep the current one.',
    domains: 'Domains of email addresses',
    newUsers: 'New users',
    noNewUsers: 'Only invited users',
    trustsEmail: 'Trust email addresses that the provider does not call verified',
    hints: {
      name: 'Shown on the sign-in page.',
      issuer: 'Such as https://login.example.com/realms/company',
      clientId: 'From the application that you have registered at the provider.',
      domains:
        'Such as example.com. People with such an address find the provider on the sign-in page.',
      newUsers:
        'Role of people with an address of these domains who sign in for the first time, and were not invited.',
      trustsEmail:
        'Only if people cannot choose their address at the provider. Otherwise one of them could sign in as another user.',
    },
    groups: {
      title: 'Roles by groups',
      hint: 'People of these groups get the highest of their roles at each sign-in, and need no invitation. Owners, and people in none of these groups, keep their role.',
      row: (number: number) => `Group ${number}`,
      group: 'Group',
      role: 'Role',
      place: 'Where',
      account: 'Whole account',
      add: 'Add a group',
      remove: 'Remove',
      removeRow: (number: number) => `Remove group ${number}`,
      claim: 'Claim',
      claimHint: 'Name of the claim of the ID token with the groups.',
    },
    next: 'Next',
    save: 'Save',
    addresses: 'Addresses',
    change: 'Change',
    remove: 'Remove',
    labels: {
      addresses: (name: string) => `Addresses for ${name}`,
      change: (name: string) => `Change ${name}`,
      remove: (name: string) => `Remove ${name}`,
    },
    addressesOf: (name: string) => `Addresses for ${name}`,
    redirectUri: 'Redirect URI, for the administrator of the provider',
    copyRedirectUri: 'Copy the redirect URI',
    logoutUri: 'Back-channel logout URL, so that a sign-out at the provider ends sessions here',
    copyLogoutUri: 'Copy the back-channel logout URL',
    signInUrl: 'Page on which users sign in',
    copySignInUrl: 'Copy the address of the page',
    changeTitle: (name: string) => `Change ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeHint: 'Users can no longer sign in by it, and the sessions that it started end.',
  },
  providerRule: {
    title: 'Single sign-on only',
    isOn: (email: string) =>
      `Users sign in only by a provider. Only ${email} can also use a password or a passkey.`,
    isOff: 'Users sign in by a provider, or with a password or a passkey.',
    own: 'To require single sign-on, set up your own second factor first.',
    require: 'Require single sign-on',
    requireTitle: 'Require single sign-on from all users?',
    requireHint:
      'Sessions that no provider started end. Only you can still sign in with a password or passkey, in case the provider is unavailable. API keys keep working.',
    allow: 'Stop requiring single sign-on',
    allowTitle: 'Stop requiring single sign-on?',
    allowHint: 'Users can then sign in with their passwords and passkeys again.',
  },
  factor: {
    title: 'Second factor',
    isOn: 'All users need a second factor. A user without one must set one up first.',
    isOff: 'Users decide for themselves whether to set up a second factor.',
    hint: 'API keys need none and keep working.',
    own: 'To require a second factor, set up your own first.',
    require: 'Require a second factor',
    requireTitle: 'Require a second factor from all users?',
    /** @param count Users without one; undefined while it is not known. */
    requireHint: (count: number | undefined) => {
      if (count === 0) return 'All users with a password have one.';
      const must = 'set one up before they can continue, also in open sessions.';
      if (count === undefined) return `Users without a second factor must ${must}`;
      return `${count === 1 ? '1 user has' : `${count} users have`} none yet. They must ${must}`;
    },
    allow: 'Stop requiring a second factor',
    allowTitle: 'Stop requiring a second factor?',
    allowHint: 'Sign-ins still ask users with a second factor for it. They can remove it.',
  },
};
