import { countOf } from './count-of';
import { quoted } from './words';

/** Returns the texts of a list of named objects. */
const listOf = (
  noun: string,
): {
  readonly label: string;
  readonly search: string;
  readonly pages: string;
  readonly found: (total: number) => string;
  readonly matching: (total: number, search: string) => string;
} => ({
  label: `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`,
  search: `Search ${noun}s`,
  pages: `Pages of ${noun}s`,
  found: (total) => countOf(total, noun),
  matching: (total, search) => `${countOf(total, noun)} with ${quoted(search)}`,
});

/** Texts of the frame and of parts that several pages use. */
export const frameText = {
  /** Language of relative times, as a BCP 47 tag. */
  language: 'en',
  actions: {
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    create: 'Create',
    edit: 'Edit',
    rename: 'Rename',
    delete: 'Delete',
    refresh: 'Refresh',
    pause: 'Pause',
    resume: 'Resume',
    next: 'Next',
    back: 'Back',
  },
  discard: {
    title: 'Discard what you entered?',
    keep: 'Keep editing',
    discard: 'Discard',
  },
  frame: {
    loading: 'Loading',
    skip: 'Skip to the content',
    unreachable:
      'The server cannot be reached. Your input is still here. This page retries automatically.',
    tryNow: 'Try again now',
    unavailable: 'Not available',
    breadcrumbs: 'Breadcrumbs',
    workspaces: 'Workspaces',
    workspace: 'Workspace',
    colors: 'Colors',
    colorsAre: (scheme: string) => `Colors: ${scheme}`,
    schemes: { light: 'Light', dark: 'Dark', auto: 'System' },
    you: 'You',
    youAre: (email: string) => `You: ${email}`,
    roleIn: (role: string, account: string) => `${role} of ${account}`,
    keys: 'API keys',
    sessions: 'Sessions',
    password: 'Password',
    signOut: 'Sign out',
    notSignedOut: 'Not signed out',
  },
  server: {
    unknown: 'Something went wrong.',
    unavailable: 'The server is unavailable. Try again later.',
    returned: (status: number) => `The server returned ${status}.`,
    unreachable: 'The server cannot be reached.',
    uploadBroke: 'The connection broke.',
    uploadStopped: 'The upload was stopped.',
    notLost: (message: string) => `${message} What you typed is still here. Try again in a moment.`,
    tryAgainIn: (message: string, seconds: number) => `${message} Try again in ${seconds} s.`,
  },
  copying: {
    copied: 'Copied',
    done: 'Copied to the clipboard.',
    failed: 'Copying failed. Select the text and copy it.',
  },
  expiry: {
    after: 'Expires after',
    lastDay: 'Last day',
    choices: {
      30: '30 days',
      90: '90 days',
      365: 'A year',
      date: 'Until a day …',
      never: 'Never',
    },
    noDay: 'Choose a day.',
    noDayOfField: 'choose a day',
  },
  codes: {
    label: 'Code',
    hint: 'From your authenticator app, or a recovery code',
    recoveryHint: 'A recovery code',
  },
  passkeys: {
    use: 'Use a passkey',
    known: 'This device has a passkey of yours already.',
    address: 'Passkeys do not work at this address. Open the console by its name.',
    cancelled: 'No passkey was used: the request was canceled, or took too long.',
    failed: 'The passkey could not be used. Try again.',
  },
  passwords: {
    current: 'Current password',
    show: 'Show the password',
    hint: '10 to 200 characters. Several words in a row are easy to remember.',
  },
  times: {
    soon: 'in less than a minute',
    now: 'just now',
  },
  lists: {
    of: {
      workspaces: listOf('workspace'),
      datagrids: listOf('datagrid'),
      trash: listOf('deleted object'),
    },
    searchIn: 'Part of a name or description',
    cut: (searched: number) => `Only the first ${searched.toLocaleString()} were searched.`,
    page: (number: number) => `Page ${number}`,
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    name: 'Name',
    description: 'Description',
    actions: 'Actions',
    actionsFor: (name: string) => `Actions for ${name}`,
    details: 'Details',
    detailsOf: (row: number) => `Details of row ${row.toLocaleString()}`,
  },
  roles: {
    member: { label: 'Member', may: 'has access only to workspaces that you choose' },
    viewer: { label: 'Viewer', may: 'reads everything' },
    editor: {
      label: 'Editor',
      may: 'also adds, changes and deletes rows, and saves views and queries',
    },
    admin: {
      label: 'Admin',
      may: 'also creates and changes workspaces, datagrids and columns, and shares views',
    },
    owner: { label: 'Owner', may: 'also manages users, and reads the audit log' },
  },
};
