import type { JsonValue } from '../../common/json/token-reader';
import { COLUMN_TYPES, type TypeRules } from './column-type';
import type { StoredJsonType } from './descriptor';

/**
 * Returns whether a column with the rules `after` accepts, unchanged, every value that it can store
 * with the rules `before`, so that no row needs to be checked. Examples: an added choice, `email`
 * to `text`, `integer` to `number`, and any type to `json`.
 */
export function holdsEveryValue(before: TypeRules, after: TypeRules): boolean {
  const { hasChoices, holdsEvery } = COLUMN_TYPES[after.type];
  if (before.type === after.type) {
    if (!hasChoices) return true;
    const choices = new Set(after.options.choices);
    return (before.options.choices ?? []).every((choice) => choices.has(choice));
  }
  if (holdsEvery === null) return false;
  return holdsEvery === 'any' || COLUMN_TYPES[before.type].jsonType === holdsEvery;
}

/**
 * Returns the conversion of stored values to a type, whose result is in the type's normal form and
 * `undefined` for a value that does not convert. Created once per column.
 */
export function conversionTo({ type, options }: TypeRules): Conversion {
  const { convert, checkFor } = COLUMN_TYPES[type];
  if (!convert) throw new Error(`Type ${type} holds every value and converts none.`);
  const check = checkFor(options);
  return (text, jsonType) => {
    const value = convert(text, jsonType, options);
    if (value === undefined) return undefined;
    const checked = check(value);
    return checked.ok ? checked.value : undefined;
  };
}

/** @param text A string as is, any other value as JSON. */
export type Conversion = (text: string, jsonType: StoredJsonType) => JsonValue | undefined;
