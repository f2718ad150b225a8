/** Rows that are named of those that stand against a change. */
export const MOST_EXAMPLES = 10;
