import type { ColumnTypeDescriptor } from './descriptor';
import { checkInteger, checkText } from './value-check';

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
