import type { ColumnTypeDescriptor } from './descriptor';
import { checkComputed, checkInteger, checkText } from './value-check';

/** Digits and sign of the largest integer. */
const MAX_INTEGER_LENGTH = 17;
const UUID_LENGTH = 36;

/** Properties of the types whose values name an author. */
const AUTHOR = {
  checkFor: () => checkText,
  hasChoices: false,
  jsonType: 'string',
  maxBytes: () => UUID_LENGTH,
  holdsEvery: null,
  convert: null,
  comparedAs: 'text',
  mayBeTruncated: false,
  isDecimalText: false,
  operators: ['equality', 'presence', 'order'],
  checkOperand: checkText,
  cell: 'text',
  fitsCell: null,
  mayBeFormula: false,
} as const;

/** Column types whose values the service sets. No column of another type can become one of them. */
export const READ_ONLY_TYPES = {
  autonumber: {
    description: 'an integer that the service assigns when it creates a row; read-only',
    source: 'number',
    checkFor: () => checkInteger,
    hasChoices: false,
    jsonType: 'number',
    maxBytes: () => MAX_INTEGER_LENGTH,
    holdsEvery: null,
    convert: null,
    comparedAs: 'number',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence', 'order'],
    checkOperand: null,
    cell: 'number',
    fitsCell: null,
    mayBeFormula: false,
  },
  createdBy: {
    ...AUTHOR,
    description: 'the ID of the API key or user who created the row; read-only',
    source: 'creator',
  },
  updatedBy: {
    ...AUTHOR,
    description: 'the ID of the API key or user who last changed the row; read-only',
    source: 'updater',
  },
} satisfies Record<string, ColumnTypeDescriptor>;

/** What the types have in common whose values are computed when rows are read, and never stored. */
const COMPUTED = {
  checkFor: () => checkComputed,
  hasChoices: false,
  isComputed: true,
  jsonType: null,
  maxBytes: () => 0,
  holdsEvery: null,
  convert: null,
  comparedAs: null,
  mayBeTruncated: false,
  isDecimalText: false,
  operators: [],
  checkOperand: null,
  cell: 'json',
  fitsCell: null,
  mayBeFormula: false,
} as const;

/** Column types whose values are computed when rows are read. */
export const COMPUTED_TYPES = {
  lookup: {
    description:
      'read-only: the value of the column `options.column` in the row that the column `options.link` links to, or an array of the values if that is a `multiLink`',
    ...COMPUTED,
  },
  count: {
    description:
      'read-only: the number of rows of the datagrid `options.datagridId` whose column `options.column` links to the row',
    ...COMPUTED,
  },
} satisfies Record<string, ColumnTypeDescriptor>;
