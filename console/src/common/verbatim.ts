/** Attributes of a field whose text is no prose: a phone changes neither its letters nor its words. */
export const VERBATIM = { autoCapitalize: 'off', autoCorrect: 'off', spellCheck: false } as const;
