import { type DetailCode, type FieldError, fieldError } from '../../common/error/app-error';
import { codePointLength, isUuid } from '../../common/text/id';
import { COLUMN_TYPES, type ColumnType, isComputed, isLink } from './column-type';
import { type ColumnOptions, DELETE_POLICIES } from './descriptor';

/** A lowercase letter, then up to 62 letters, digits and underscores. */
export const COLUMN_KEY = /^[a-z][a-zA-Z0-9_]{0,62}$/;

export const MAX_CHOICES = 1_000;
export const MAX_CHOICE_LENGTH = 200;

/** Leaves room for 9 × 10¹⁵ rows, up to which integers are exact. */
export const MAX_START = 1_000_000_000_000;
const DEFAULT_START = 1;

/**
 * Validates the `options` of a column. Returns an empty array if they are `ColumnOptions` that fit
 * the type. Selects need `choices`: 1 to 1,000 distinct strings of 1 to 200 code points. Links need
 * `datagridId`, lookups `link` and `column`, counts `datagridId` and `column`. Texts and addresses can have
 * `ignoreCase`, and numbers that the service assigns `start`. Other types take none. Codes: `wrong_type`, `required`, `unknown_property`, `out_of_range`,
 * `duplicate_choice`, `invalid_format`, `not_a_choice`. Fields are relative to the column, such as `options.choices.3`.
 */
export function columnOptionsProblems(type: ColumnType, options: unknown = {}): FieldError[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return [fieldError('options', 'wrong_type', 'must be an object')];
  }
  const { choices, datagridId, onDelete, link, column, ignoreCase, start, ...others } =
    options as Record<string, unknown>;
  const unknown = Object.keys(others).map((member) =>
    fieldError(
      `options.${member}`,
      'unknown_property',
      'is not a known property; expected one of: choices, column, datagridId, ignoreCase, link, onDelete, start',
    ),
  );
  return [
    ...unknown,
    ...choicesProblems(type, choices),
    ...linkProblems(type, 'options.datagridId', datagridId),
    ...linkProblems(type, 'options.onDelete', onDelete),
    ...caseProblems(type, ignoreCase),
    ...keyProblems(type, 'options.link', link, type === 'lookup'),
    ...keyProblems(type, 'options.column', column, isComputed(type)),
    ...startProblems(type, start),
  ];
}

function caseProblems(type: ColumnType, ignoreCase: unknown): FieldError[] {
  const field = 'options.ignoreCase';
  if (ignoreCase === undefined) return [];
  if (COLUMN_TYPES[type].mayIgnoreCase !== true) {
    return [fieldError(field, 'unknown_property', `is not supported for columns of type ${type}`)];
  }
  if (typeof ignoreCase === 'boolean') return [];
  return [fieldError(field, 'wrong_type', 'must be true or false')];
}

function startProblems(type: ColumnType, value: unknown): FieldError[] {
  if (value === undefined) return [];
  const field = 'options.start';
  if (COLUMN_TYPES[type].source !== 'number') {
    return [fieldError(field, 'unknown_property', `is not supported for columns of type ${type}`)];
  }
  const message = `must be an integer from 0 to ${String(MAX_START)}`;
  if (!Number.isInteger(value)) return [fieldError(field, 'wrong_type', message)];
  const isInRange = (value as number) >= 0 && (value as number) <= MAX_START;
  return isInRange ? [] : [fieldError(field, 'out_of_range', message)];
}

function keyProblems(
  type: ColumnType,
  field: 'options.link' | 'options.column',
  value: unknown,
  isExpected: boolean,
): FieldError[] {
  if (!isExpected) {
    if (value === undefined) return [];
    return [fieldError(field, 'unknown_property', `is not supported for columns of type ${type}`)];
  }
  if (value === undefined) {
    return [fieldError(field, 'required', `is required for columns of type ${type}`)];
  }
  if (typeof value === 'string' && COLUMN_KEY.test(value)) return [];
  const code = typeof value === 'string' ? 'invalid_format' : 'wrong_type';
  return [fieldError(field, code, 'must be the key of a column')];
}

function linkProblems(
  type: ColumnType,
  field: 'options.datagridId' | 'options.onDelete',
  value: unknown,
): FieldError[] {
  const isSupported = isLink(type) || (type === 'count' && field === 'options.datagridId');
  if (!isSupported) {
    if (value === undefined) return [];
    return [fieldError(field, 'unknown_property', `is not supported for columns of type ${type}`)];
  }
  if (field === 'options.onDelete') {
    if (value === undefined || (DELETE_POLICIES as readonly unknown[]).includes(value)) return [];
    return [fieldError(field, 'not_a_choice', `must be one of ${DELETE_POLICIES.join(', ')}`)];
  }
  if (value === undefined) {
    return [fieldError(field, 'required', `is required for columns of type ${type}`)];
  }
  if (typeof value === 'string' && isUuid(value)) return [];
  return [fieldError(field, 'invalid_format', 'must be the id of a datagrid')];
}

/** Returns the options of a column with their defaults. */
export function withOptionDefaults(type: ColumnType, options: ColumnOptions): ColumnOptions {
  if (COLUMN_TYPES[type].source === 'number') return { start: DEFAULT_START, ...options };
  if (!isLink(type) && !isComputed(type)) return options;
  const { datagridId, broken, ...others } = options;
  // Ids are compared with those of datagrids, which are lowercase.
  const target = typeof datagridId === 'string' ? { datagridId: datagridId.toLowerCase() } : {};
  // Clients can send the options of a computed column as they have read them.
  if (isComputed(type)) return { ...others, ...target };
  return { onDelete: 'restrict', ...others, ...(broken && { broken }), ...target };
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
