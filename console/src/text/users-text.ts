/** Texts of the page of users. */
export const usersText = {
  title: 'Users',
  intro: 'Users of this account. The role applies to a user and their API keys.',
  forbidden: 'Only owners of the account can manage its users.',
  label: 'Users',
  columns: {
    email: 'Email',
    role: 'Role',
    signIn: 'Sign-in',
    created: 'Created',
    actions: 'Actions',
  },
  you: 'You',
  suspended: 'Suspended',
  hasPassword: 'Password',
  hasNoPassword: 'No password yet',
  hasSecondFactor: 'Password and second factor',
  newPasswordLink: 'Create password link',
  inviteLink: 'Create invite link',
  invite: 'Invite somebody',
  inviteEmail: 'Email',
  createLink: 'Create the link',
  role: {
    change: 'Change role',
    title: (email: string) => `The role of ${email}`,
    hint: 'It applies from the next request, also to their API keys.',
    label: 'Role',
    choice: (role: string, may: string) => `${role}: ${may}`,
    submit: 'Change the role',
  },
  workspaceRoles: {
    change: 'Change roles in workspaces',
    title: (email: string) => `Roles of ${email} in workspaces`,
    hint: (role: string) =>
      `In the whole account, the role is ${role}. A role in a workspace applies there if it is higher.`,
    none: 'No other role',
    submit: 'Change the roles',
    cut: (count: number) => `Only the first ${count} workspaces are listed.`,
    and: (role: string, count: number) =>
      `${role}, and in ${count === 1 ? '1 workspace' : `${count} workspaces`}`,
  },
  service: {
    create: 'New service account',
    submit: 'Create',
    name: 'Name',
    nameHint:
      'Lowercase letters, digits and hyphens, such as billing-sync. Its keys do not depend on a person.',
    badge: 'Service account',
    noSignIn: 'None',
    keys: 'API keys',
    viewKeys: 'View API keys',
    keysOf: (email: string) => `API keys of ${email}`,
    keysHint: 'These keys stay valid when the person who created them leaves the account.',
  },
  suspension: {
    suspend: 'Suspend',
    suspendTitle: (email: string) => `Suspend ${email}?`,
    suspendHint:
      'They are signed out of the console, and their API keys stop working with the next request. You can resume them at any time.',
    resume: 'Resume',
    resumeTitle: (email: string) => `Resume ${email}?`,
    resumeHint: 'They can sign in again, and their API keys work again at once.',
  },
  secondFactor: {
    remove: 'Remove second factor',
    removeTitle: (email: string) => `Remove the second factor of ${email}?`,
    removeHint:
      'For a user who has lost the authenticator app and the recovery codes. They sign in with the password only, and can set up an app again.',
  },
  link: {
    title: (email: string) => `A link for ${email}`,
    hint: 'The user sets a password with the link, once and within 72 hours. An earlier link stops working now. A password that the user has works until the new one is set, which also ends the user’s sessions.',
    send: (email: string, expires: string) =>
      `Send it to ${email} in a way that nobody else can read. It sets the password once, until ${expires}. It is shown only now, and stops working if you create another one.`,
    label: 'One-time link',
    copy: 'Copy link',
    copied: 'I have copied it',
  },
};
