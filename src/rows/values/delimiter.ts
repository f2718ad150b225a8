/** Delimiters of CSV files, by the names that parameters use. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

export type Delimiter = keyof typeof DELIMITERS;

export const DELIMITER_NAMES = Object.keys(DELIMITERS) as readonly Delimiter[];

/**
 * Values of a `delimiter` parameter: a name, or the character itself. The OpenAPI document lists only the
 * names, because the characters are not valid in the enumerations of some generated clients.
 */
export const DELIMITER_VALUES: readonly string[] = [
  ...DELIMITER_NAMES,
  ...Object.values(DELIMITERS),
];

/** Finds a delimiter by its name or by the character itself. */
export function findDelimiter(text: string): Delimiter | null {
  return DELIMITER_NAMES.find((name) => name === text || DELIMITERS[name] === text) ?? null;
}
