import { type DetailCode, type FieldError, fieldError } from '../../common/error/app-error';
import { codePointLength } from '../../common/text/id';
import { COLUMN_TYPES, type ColumnType } from './column-type';

export const MAX_CHOICES = 1_000;
export const MAX_CHOICE_LENGTH = 200;

/**
 * Validates the `options` of a column. Returns an empty array if they are `ColumnOptions` that fit
 * the type. Selects need `choices`: 1 to 1,000 distinct strings of 1 to 200 code points. Other
 * types take none. Codes: `wrong_type`, `required`, `unknown_property`, `out_of_range`,
 * `duplicate_choice`. Fields are relative to the column, such as `options.choices.3`.
 */
export function columnOptionsProblems(type: ColumnType, options: unknown = {}): FieldError[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [fieldError('options', 'wrong_type', 'must be an object')];
  }
  const { choices, ...others } = options as Record<string, unknown>;
  const unknown = Object.keys(others).map((member) =>
    fieldError(
      `options.${member}`,
      'unknown_property',
      'is not a known property; expected one of: choices',
    ),
  );
  return [...unknown, ...choicesProblems(type, choices)];
}

function choicesProblems(type: ColumnType, choices: unknown): FieldError[] {
  const field = 'options.choices';
  if (!COLUMN_TYPES[type].hasChoices) {
    if (choices === undefined) return [];
    return [fieldError(field, 'unknown_property', `is not supported for columns of type ${type}`)];
  }
  if (choices === undefined) {
    return [fieldError(field, 'required', `is required for columns of type ${type}`)];
  }
  if (!Array.isArray(choices))
    return [fieldError(field, 'wrong_type', 'must be an array of strings')];
  if (choices.length < 1 || choices.length > MAX_CHOICES) {
    return [fieldError(field, 'out_of_range', 'must contain 1 to 1000 choices')];
  }
  const seen = new Set<unknown>();
  return choices.flatMap((choice: unknown, index) => {
    const found = choiceProblem(choice, seen.has(choice));
    seen.add(choice);
    return found ? [fieldError(`${field}.${index}`, ...found)] : [];
  });
}

function choiceProblem(choice: unknown, isRepeated: boolean): [DetailCode, string] | null {
  if (typeof choice !== 'string') return ['wrong_type', 'must be a string'];
  const length = codePointLength(choice);
  if (length < 1 || length > MAX_CHOICE_LENGTH) {
    return ['out_of_range', 'must have 1 to 200 characters'];
  }
  return isRepeated ? ['duplicate_choice', 'duplicates an earlier choice'] : null;
}
