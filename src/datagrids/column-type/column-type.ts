/** Column types. See `valueCheckFor` for the values that each type accepts and stores. */
export const COLUMN_TYPES = [
  'text',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiSelect',
  'email',
  'url',
  'json',
] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Settings of a column in addition to its type. */
export interface ColumnOptions {
  /** Allowed values in display order. For `select` and `multiSelect` only. */
  readonly choices?: readonly string[];
}

/**
 * Whether a column of this type may be unique. Not allowed for types whose equality is not defined.
 */
export function allowsUnique(type: ColumnType): boolean {
  return type !== 'json' && type !== 'multiSelect';
}

/** Whether a column of this type needs `options.choices`. */
export function hasChoices(type: ColumnType): boolean {
  return type === 'select' || type === 'multiSelect';
}

/**
 * Whether one value of this type may be stored in several notations (1.5 and 1.50), so that values
 * are compared by a canonical form. For other types, the stored form is canonical.
 */
export function needsCanonicalForm(type: ColumnType): boolean {
  return type === 'decimal';
}
