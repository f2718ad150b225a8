import type { TextParts } from './words';

/** Texts of the pages that need no session. */
export const signInText = {
  title: 'Sign in',
  submit: 'Sign in',
  email: 'Email',
  password: 'Password',
  rejected: 'The email address or the password is wrong.',
  noPassword:
    'No password yet, or forgotten? An owner of your account can create a link for you to set one.',
  ended: {
    ended: 'Your session has ended. Sign in again to continue.',
    kept: 'What you typed is kept in this tab, and is saved after you sign in here again.',
    suspended: 'Your user or your account is suspended. An owner of the account can resume it.',
  },
  passkey: 'Sign in with a passkey',
  provider: {
    by: (name: string) => `Sign in with ${name}`,
    at: (host: string) => `You continue at ${host}.`,
    find: 'Sign in by your company',
    findOther: 'Sign in by another company',
    search: 'Find the sign-in page',
    searchHint: 'Enter your email address to find the sign-in page of your company.',
    none: 'No sign-in page is known for addresses of this domain. Ask an owner of your account for its address.',
    missing:
      'This sign-in page no longer exists. Ask an owner of your account for the new address.',
    otherWay: 'Sign in another way',
    again: 'Sign in again',
  },
  accounts: {
    choose: 'Choose the account to sign in to.',
    label: 'Accounts',
  },
  invite: {
    set: 'Set a password',
    setNew: 'Set a new password',
    welcome: (account: string) => `Welcome to ${account}`,
    invalid: <Link>(signIn: (label: string) => Link): TextParts<Link> => [
      'This link is not valid: it was used, has expired, or was replaced by a newer one. Ask its sender for a new one, or ',
      signIn('sign in'),
      '.',
    ],
    hint: (email: string, expires: string) =>
      `Choose the password that ${email} signs in with. The link works once, until ${expires}.`,
    password: 'New password',
    signIn: 'The password is set. Sign in with it and with your second factor.',
    submit: 'Set the password and sign in',
  },
};
