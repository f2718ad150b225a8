/** Where menus hang: in the main landmark, so that all of a page stands within one. */
export const IN_MAIN = { target: '#main' } as const;
