/** Texts of the page on how the users of an account sign in. */
export const securityText = {
  title: 'Security',
  intro: 'How the users of this account sign in.',
  forbidden: 'Only owners of the account can open this page.',
  factor: {
    title: 'Second factor',
    isOn: 'Everybody needs an authenticator app. Users who have none can only set one up.',
    isOff: 'Users decide for themselves whether to set up an authenticator app.',
    hint: 'API keys need no code and keep working.',
    own: 'To require a second factor, set up your own first.',
    setUp: 'Set up my second factor',
    require: 'Require a second factor',
    requireTitle: 'Require a second factor from everybody?',
    requireHint: (count: number) =>
      count === 0
        ? 'Everybody has one already.'
        : `${count === 1 ? '1 user has' : `${count} users have`} none yet, and can only set one up from now on, also in open sessions.`,
    allow: 'No longer require it',
    allowTitle: 'No longer require a second factor?',
    allowHint: 'Those who have one are still asked for it, and may remove it.',
  },
};
