import { EN_WORKSPACES } from './en/workspaces';

/** The texts of workspaces, their lists of datagrids, and the trash, in the language of the console. They load with their pages. */
export const workspacesText: typeof EN_WORKSPACES = EN_WORKSPACES;
