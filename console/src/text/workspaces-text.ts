import { quoted, type TextParts } from './words';

/** Texts of workspaces, their lists of datagrids, and the trash. */
export const workspacesText = {
  columns: {
    name: 'Name',
    rows: 'Rows',
    columns: 'Columns',
    changed: 'Changed',
    actions: 'Actions',
  },
  actionsFor: (name: string) => `Actions for ${name}`,
  renameTitle: (name: string) => `Rename ${quoted(name)}`,
  list: {
    title: 'Workspaces',
    create: 'New workspace',
    createTitle: 'New workspace',
    none: 'No workspace yet',
    noneHint: 'A workspace holds datagrids that belong together.',
    noneYet: 'There is no workspace yet. An admin or owner of the account creates the first one.',
    noRole: 'No workspace is open to you',
    noRoleHint: (email: string) =>
      `Ask an owner of the account to give ${email} a role in a workspace, on the page Users. The workspace then appears here.`,
    checkAgain: 'Check again',
  },
  workspace: {
    title: 'Workspace',
    actions: 'Actions for this workspace',
    create: 'New datagrid',
    createTitle: 'New datagrid',
    createFromFile: 'New datagrid from a file',
    createFirst: 'Create the first datagrid',
    none: 'No datagrid yet',
    noneHint: 'A datagrid holds rows of typed columns. Programs read and write it with an API key.',
    drop: 'Drop the file to create a datagrid from it',
  },
  removal: {
    title: (workspace: string) => `Delete ${quoted(workspace)}?`,
    message: (datagrids: number) =>
      `${contentsOf(datagrids)} It can be restored from the trash for some days.`,
    submit: (datagrids: number) =>
      datagrids > 0 ? 'Delete it with its datagrids' : 'Delete the workspace',
  },
  trash: {
    title: 'Trash',
    none: 'The trash is empty',
    noneHint: 'Deleted workspaces and datagrids stay here for some time, and can be restored.',
    columns: {
      name: 'Name',
      kind: 'Kind',
      deleted: 'Deleted',
      expires: 'Permanently deleted',
      actions: 'Actions',
    },
    kinds: { workspace: 'Workspace with its datagrids', datagrid: 'Datagrid' },
    restore: 'Restore',
    restoreOne: (name: string) => `Restore ${name}`,
    isBack: <Link>(name: string, open: (label: string) => Link): TextParts<Link> => [
      `“${name}” is back: `,
      open('open it'),
      '.',
    ],
    notRestored: (name: string) => `${quoted(name)} cannot be restored`,
    purge: 'Delete permanently',
    purgeTitle: (name: string) => `Delete ${quoted(name)} permanently?`,
    purgeMessage: 'This cannot be undone.',
    purgeSubmit: 'Delete permanently',
  },
  datagrids: {
    label: 'Datagrids',
    all: 'All of this workspace, also future ones',
    some: 'Only some',
    chosen: 'Chosen datagrids',
    choose: 'Choose datagrids',
    failed: 'The datagrids could not be loaded.',
    noneFound: 'None found.',
    cut: (listed: number) => `Only the first ${listed} datagrids are listed.`,
  },
  chooseWorkspace: {
    sql: 'A statement reads the datagrids of one workspace. Choose the workspace.',
    webhooks: 'A webhook belongs to a workspace. Choose the workspace.',
    connections: 'A connection belongs to a workspace. Choose the workspace.',
    none: 'No workspace yet',
    create: 'Create a workspace',
    forbidden: {
      sql: 'You have no role in any workspace, so there are no datagrids to read.',
      webhooks: 'Only admins and owners can manage webhooks.',
      connections: 'Only admins and owners can manage connections.',
    },
  },
  firstSteps: {
    title: 'Get started',
    dismiss: 'Dismiss the first steps',
    isDone: 'done',
    workspace: 'Create a workspace',
    workspaceHint: 'A workspace holds datagrids that belong together.',
    datagrid: 'Create a datagrid, or import one from a file',
    datagridHint: 'A datagrid holds rows of typed columns.',
    createDatagrid: 'Create a datagrid',
    importFile: 'Import a file',
    openWorkspace: (name: string) => `Open “${name}”`,
    call: 'Create an API key and read your rows',
    callHint: 'Programs call the API with a key. Run the command in a terminal.',
    createKey: 'Create a key',
    yourKey: 'YOUR_API_KEY',
    callOf: (datagrid: string) => `Read the first rows of “${datagrid}”`,
    anyCall: 'Try the key',
    copy: 'Copy the curl command',
    done: 'Your first call has arrived.',
    close: 'Close',
  },
};

function contentsOf(datagrids: number): string {
  if (datagrids === 0) return 'It contains no datagrids.';
  const deleted = datagrids === 1 ? 'one datagrid, which is' : `${datagrids} datagrids, which are`;
  return `It contains ${deleted} deleted too. Programs that use them will fail.`;
}
