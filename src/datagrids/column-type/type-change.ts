import { hasChoices, type ColumnOptions, type ColumnType } from './column-type';

/** A column's type and its options. */
export interface TypeRules {
  readonly type: ColumnType;
  readonly options: ColumnOptions;
}

/** Types whose values are strings. */
const TEXTS: readonly ColumnType[] = [
  'text',
  'decimal',
  'date',
  'datetime',
  'select',
  'email',
  'url',
];

/**
 * Whether a column with the rules `after` accepts, unchanged, every value that it can store with
 * the rules `before`, so that no row needs to be checked. Examples: an added choice, `email` to
 * `text`, `integer` to `number`, and any type to `json`.
 */
export function holdsEveryValue(before: TypeRules, after: TypeRules): boolean {
  if (hasChoices(after.type) && before.type === after.type) {
    const choices = new Set(after.options.choices);
    return (before.options.choices ?? []).every((choice) => choices.has(choice));
  }
  return before.type === after.type || isWider(before.type, after.type);
}

function isWider(before: ColumnType, after: ColumnType): boolean {
  if (after === 'json') return true;
  return after === 'text' ? TEXTS.includes(before) : after === 'number' && before === 'integer';
}
