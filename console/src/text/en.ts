/**
 * The texts of the console in English. Texts with parameters are functions, so that a translation
 * can order the parts as its language needs.
 */
export const EN = {
  product: 'Datagrids',
  nav: {
    label: 'Main',
    open: 'Menu',
    close: 'Close the menu',
    collapse: 'Collapse the sidebar',
    expand: 'Expand the sidebar',
    datagrids: 'Datagrids',
    webhooks: 'Webhooks',
    connections: 'Connections',
    keys: 'API keys',
    users: 'Users',
    audit: 'Audit log',
    trash: 'Trash',
    docs: 'API reference',
    start: 'Get started',
  },
  tree: {
    find: 'Find a datagrid',
    expand: (workspace: string) => `Expand ${workspace}`,
    collapse: (workspace: string) => `Collapse ${workspace}`,
    none: 'No datagrids',
    failed: 'Not loaded',
    cut: (count: string) => `Only the first ${count} workspaces are listed.`,
    more: 'Show all …',
  },
  chooseWorkspace: {
    webhooks: 'A webhook belongs to a workspace. Choose the workspace.',
    connections: 'A connection belongs to a workspace. Choose the workspace.',
    none: 'No workspace yet',
    create: 'Create a workspace',
    forbidden: {
      webhooks: 'Only admins and owners can manage webhooks.',
      connections: 'Only admins and owners can manage connections.',
    },
  },
  notFound: {
    title: 'Page not found',
    hint: 'The address may be misspelled, or the page no longer exists.',
    back: 'Go to the datagrids',
    docs: 'Read the API reference',
  },
};

/** Every translation has all texts, with the same parameters. */
export type Texts = typeof EN;
