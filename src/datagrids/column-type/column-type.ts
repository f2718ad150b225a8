import { isPlainNumber } from '../../common/json/scan-json';
import {
  BYTES_PER_ITEM,
  type ColumnOptions,
  type ColumnTypeDescriptor,
  type ValueCheck,
} from './descriptor';
import { LINK_TYPES } from './link-type';
import { COMPUTED_TYPES, READ_ONLY_TYPES } from './read-only-type';
import {
  checkBoolean,
  checkChoice,
  checkDate,
  checkDatetime,
  checkDecimal,
  checkDecimalOperand,
  checkEmail,
  checkInteger,
  checkJson,
  checkNumber,
  checkText,
  checkUrl,
  MAX_DECIMAL_LENGTH,
  MAX_EMAIL_LENGTH,
  MAX_URL_LENGTH,
  multiSelectCheck,
  selectCheck,
  convertToBoolean,
  convertToDate,
  convertToDatetime,
  convertToDecimal,
  convertToMultiSelect,
  convertToNumber,
  convertToSelect,
  convertToText,
  convertTrimmed,
} from './value-check';

/** Maximum UTF-8 bytes per JavaScript code unit. */
const MAX_BYTES_PER_UNIT = 3;
/** A double in plain notation has up to 326 digits and a sign. */
const MAX_NUMBER_LENGTH = 400;

/**
 * The column types. Each entry is all that the service knows of a type. An import that creates
 * columns tries the types with `fitsCell` in this order and takes the first that fits all cells, so
 * the narrower of two types comes first.
 */
const DESCRIPTORS = {
  text: {
    description: 'a string; stored unchanged',
    checkFor: () => checkText,
    hasChoices: false,
    mayIgnoreCase: true,
    jsonType: 'string',
    maxBytes: () => null,
    holdsEvery: 'string',
    convert: convertToText,
    comparedAs: 'text',
    mayBeTruncated: true,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order', 'search'],
    checkOperand: checkText,
    cell: 'text',
    fitsCell: null,
    mayBeFormula: true,
  },
  integer: {
    description: 'an integer from −(2⁵³ − 1) to 2⁵³ − 1',
    checkFor: () => checkInteger,
    hasChoices: false,
    jsonType: 'number',
    maxBytes: () => MAX_NUMBER_LENGTH,
    holdsEvery: null,
    convert: convertToNumber,
    comparedAs: 'number',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order'],
    checkOperand: null,
    cell: 'number',
    fitsCell: (cell) => isPlainNumber(cell) && Number.isSafeInteger(Number(cell)),
    mayBeFormula: false,
  },
  number: {
    description: 'a number that a 64-bit double represents without losing digits',
    checkFor: () => checkNumber,
    hasChoices: false,
    jsonType: 'number',
    maxBytes: () => MAX_NUMBER_LENGTH,
    holdsEvery: 'number',
    convert: convertToNumber,
    comparedAs: 'number',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order'],
    checkOperand: null,
    cell: 'number',
    // 1.50 is a decimal, because a number would be printed as 1.5. 1e5 is text.
    fitsCell: isPlainNumber,
    mayBeFormula: false,
  },
  decimal: {
    description:
      'a string such as `"1204.50"`: up to 38 digits, up to 18 of them after the decimal point; returned as sent',
    checkFor: () => checkDecimal,
    hasChoices: false,
    jsonType: 'string',
    maxBytes: () => MAX_DECIMAL_LENGTH,
    holdsEvery: null,
    convert: convertToDecimal,
    comparedAs: 'number',
    mayBeTruncated: false,
    isDecimalText: true,
    operators: ['equality', 'presence', 'order'],
    checkOperand: checkDecimalOperand,
    cell: 'text',
    fitsCell: (cell) => checkDecimal(cell).ok,
    mayBeFormula: false,
  },
  boolean: {
    description: '`true` or `false`',
    checkFor: () => checkBoolean,
    hasChoices: false,
    jsonType: 'boolean',
    maxBytes: () => null,
    holdsEvery: null,
    convert: convertToBoolean,
    comparedAs: 'text',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence'],
    checkOperand: null,
    cell: 'boolean',
    // Capital letters become lowercase on purpose.
    fitsCell: (cell) => /^(?:true|false)$/i.test(cell),
    mayBeFormula: false,
  },
  date: {
    description: 'a string such as `"2026-11-21"`',
    checkFor: () => checkDate,
    hasChoices: false,
    jsonType: 'string',
    maxBytes: () => 'YYYY-MM-DD'.length,
    holdsEvery: null,
    convert: convertToDate,
    comparedAs: 'text',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order'],
    checkOperand: null,
    cell: 'text',
    fitsCell: (cell) => checkDate(cell).ok,
    mayBeFormula: false,
  },
  datetime: {
    description:
      'an RFC 3339 time with any offset; returned in UTC with milliseconds; a finer fraction returns 400',
    checkFor: () => checkDatetime,
    hasChoices: false,
    jsonType: 'string',
    maxBytes: () => 'YYYY-MM-DDTHH:mm:ss.sssZ'.length,
    holdsEvery: null,
    convert: convertToDatetime,
    comparedAs: 'text',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order'],
    checkOperand: null,
    cell: 'text',
    // A time in UTC gets milliseconds on purpose. A time with an offset is text, because the offset
    // would be lost.
    fitsCell: (cell) => cell.endsWith('Z') && checkDatetime(cell).ok,
    mayBeFormula: false,
  },
  select: {
    description: 'one of `options.choices`',
    checkFor: selectCheck,
    hasChoices: true,
    jsonType: 'string',
    maxBytes: ({ choices = [] }) => Math.max(0, ...choices.map(byteLength)),
    holdsEvery: null,
    convert: convertToSelect,
    comparedAs: 'text',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence'],
    checkOperand: null,
    cell: 'text',
    fitsCell: null,
    mayBeFormula: true,
  },
  multiSelect: {
    description: 'an array of values of `options.choices`, each at most once',
    checkFor: multiSelectCheck,
    hasChoices: true,
    jsonType: 'array',
    maxBytes: ({ choices = [] }) =>
      choices.reduce((total, choice) => total + byteLength(choice) + BYTES_PER_ITEM, 0),
    holdsEvery: null,
    convert: convertToMultiSelect,
    comparedAs: null,
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['choice', 'presence'],
    checkOperand: checkChoice,
    cell: 'json',
    fitsCell: null,
    mayBeFormula: false,
  },
  email: {
    description: 'an email address of up to 320 characters',
    checkFor: () => checkEmail,
    hasChoices: false,
    mayIgnoreCase: true,
    jsonType: 'string',
    maxBytes: () => MAX_EMAIL_LENGTH * MAX_BYTES_PER_UNIT,
    holdsEvery: null,
    convert: convertTrimmed,
    comparedAs: 'text',
    // At most 320 characters, so an index entry holds every address.
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order', 'search'],
    // Any text, for example a part of an address.
    checkOperand: checkText,
    cell: 'text',
    fitsCell: null,
    mayBeFormula: true,
  },
  url: {
    description: 'an http or https URL of up to 8,192 characters',
    checkFor: () => checkUrl,
    hasChoices: false,
    jsonType: 'string',
    maxBytes: () => MAX_URL_LENGTH * MAX_BYTES_PER_UNIT,
    holdsEvery: null,
    convert: convertTrimmed,
    comparedAs: 'text',
    mayBeTruncated: true,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order', 'search'],
    // Any text, for example a part of a URL.
    checkOperand: checkText,
    cell: 'text',
    fitsCell: null,
    mayBeFormula: true,
  },
  json: {
    description: 'any JSON value',
    checkFor: () => checkJson,
    hasChoices: false,
    jsonType: null,
    maxBytes: () => null,
    holdsEvery: 'any',
    convert: null,
    comparedAs: null,
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['presence'],
    checkOperand: null,
    cell: 'json',
    fitsCell: null,
    // JSON starts with a bracket or a quote, or is a plain number or literal.
    mayBeFormula: false,
  },
  ...LINK_TYPES,
  ...COMPUTED_TYPES,
  ...READ_ONLY_TYPES,
} satisfies Record<string, ColumnTypeDescriptor>;

export type ColumnType = keyof typeof DESCRIPTORS;

/** The descriptor of each column type. */
export const COLUMN_TYPES: Readonly<Record<ColumnType, ColumnTypeDescriptor>> = DESCRIPTORS;

/** Names of the column types, in the order in which they are listed for clients. */
export const COLUMN_TYPE_NAMES = Object.keys(DESCRIPTORS) as readonly ColumnType[];

/** A column's type and its options. */
export interface TypeRules {
  readonly type: ColumnType;
  readonly options: ColumnOptions;
}

/** Returns the check of a column's values. Created once per column, called once per value. */
export function valueCheckFor(type: ColumnType, options: ColumnOptions): ValueCheck {
  return COLUMN_TYPES[type].checkFor(options);
}

/** Returns whether values of a column that differ only in case are equal. */
export function ignoresCase({ type, options }: TypeRules): boolean {
  return COLUMN_TYPES[type].mayIgnoreCase === true && options.ignoreCase === true;
}

/** Returns whether values of the type are ids of rows. */
export function isLink(type: ColumnType): boolean {
  return COLUMN_TYPES[type].isLink ?? false;
}

/** Returns whether values of the type are computed when rows are read, and cannot be written. */
export function isComputed(type: ColumnType): boolean {
  return COLUMN_TYPES[type].isComputed ?? false;
}

/** Returns whether the service sets the values of the type, so that clients cannot. */
export function isReadOnly(type: ColumnType): boolean {
  return COLUMN_TYPES[type].source !== undefined;
}

/** Returns whether values of the type can be compared: indexed, sorted by, and kept unique. */
export function isComparable(type: ColumnType): boolean {
  return COLUMN_TYPES[type].comparedAs !== null;
}

/**
 * Returns whether values of the type are compared as numbers. Other comparable values are texts.
 */
export function isComparedAsNumber(type: ColumnType): boolean {
  return COLUMN_TYPES[type].comparedAs === 'number';
}

/** Returns whether `q` searches columns of the type. */
export function isSearched(type: ColumnType): boolean {
  return COLUMN_TYPES[type].operators.includes('search');
}

/**
 * Properties of a stored value that PostgreSQL can test at low cost before the value is checked.
 */
export interface ValueShape extends Pick<ColumnTypeDescriptor, 'jsonType'> {
  readonly maxBytes: number | null;
}

/**
 * Returns the shape of every value that a column of the type stores. Values with another shape need
 * not be read or checked: the check of the type would reject them.
 */
export function valueShapeFor(type: ColumnType, options: ColumnOptions): ValueShape {
  const { jsonType, maxBytes } = COLUMN_TYPES[type];
  return { jsonType, maxBytes: maxBytes(options) };
}

const byteLength = (text: string): number => Buffer.byteLength(text);
