/** Renders menus in the main landmark, so that all content of a page is in a landmark. */
export const IN_MAIN = { target: '#main' } as const;
