/** Texts of the page on how the users of an account sign in. */
export const securityText = {
  title: 'Security',
  intro: 'How the users of this account sign in.',
  forbidden: 'Only owners of the account can open this page.',
  factor: {
    title: 'Second factor',
    isOn: 'All users need a second factor. A user without one must set one up first.',
    isOff: 'Users decide for themselves whether to set up a second factor.',
    hint: 'API keys need none and keep working.',
    own: 'To require a second factor, set up your own first.',
    setUp: 'Set up my second factor',
    require: 'Require a second factor',
    requireTitle: 'Require a second factor from all users?',
    /** @param count Users without one; undefined while it is not known. */
    requireHint: (count: number | undefined) => {
      if (count === 0) return 'All users with a password have one.';
      const must = 'set one up before they can continue, also in open sessions.';
      if (count === undefined) return `Users without a second factor must ${must}`;
      return `${count === 1 ? '1 user has' : `${count} users have`} none yet. They must ${must}`;
    },
    allow: 'Stop requiring it',
    allowTitle: 'Stop requiring a second factor?',
    allowHint: 'Sign-ins still ask users with a second factor for it. They can remove it.',
  },
};
