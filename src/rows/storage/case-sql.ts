/** Returns text in lower case, for any language, even if the locale of the database is C. */
export const withoutCase = (text: string): string => `lower(${text} COLLATE "und-x-icu")`;
