import { accept, reject, type ValueCheck } from './checked';

/** Returns the check of a `select` value: one of the choices. */
export function selectCheck(choices: readonly string[]): ValueCheck {
  const known = new Set<unknown>(choices);
  return (value) => {
    if (typeof value !== 'string') {
      return reject('wrong_type', "must be a string, one of the column's choices");
    }
    return known.has(value)
      ? accept(value)
      : reject('not_a_choice', "must be one of the column's choices");
  };
}

/**
 * Returns the check of a `multiSelect` value: an array of distinct choices in the order sent. An
 * empty array is a value too.
 */
export function multiSelectCheck(choices: readonly string[]): ValueCheck {
  const known = new Set<unknown>(choices);
  return (value) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      return reject('wrong_type', "must be an array of the column's choices");
    }
    if (!value.every((item) => known.has(item))) {
      return reject('not_a_choice', "must contain only the column's choices");
    }
    return new Set(value).size === value.length
      ? accept(value)
      : reject('duplicate_choice', 'must not contain a choice twice');
  };
}
