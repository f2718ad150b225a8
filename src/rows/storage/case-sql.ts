/**
 * Returns text in lower case, for any language, even if the locale of the database is C. A sigma at the
 * end of a word becomes the ordinary one, so that parts of a text are equal to the same parts of others.
 */
export const withoutCase = (text: string): string =>
  `replace(lower(${text} COLLATE "und-x-icu"), 'ς', 'σ')`;
