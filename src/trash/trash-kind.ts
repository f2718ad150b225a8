/** What goes into the trash. */
export const TRASH_KINDS = ['workspace', 'datagrid'] as const;

export type TrashKind = (typeof TRASH_KINDS)[number];
