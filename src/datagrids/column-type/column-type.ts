/** What a column may hold; see `valueCheckFor` for what each accepts and stores. */
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

/** Settings of a column beside its type. */
export interface ColumnOptions {
  /** What may be chosen, in the order to be shown; of `select` and `multiSelect`, and no other. */
  readonly choices?: readonly string[];
}

/** Whether a column of this type may be unique. Not where it is open what makes two values equal. */
export function allowsUnique(type: ColumnType): boolean {
  return type !== 'json' && type !== 'multiSelect';
}

/** Whether a column of this type needs `options.choices`. */
export function hasChoices(type: ColumnType): boolean {
  return type === 'select' || type === 'multiSelect';
}

/**
 * Whether one value of this type may be written in several ways that are kept as sent (1.5 and
 * 1.50), so that values are compared by a canonical form. Elsewhere what is stored is canonical.
 */
export function needsCanonicalForm(type: ColumnType): boolean {
  return type === 'decimal';
}
