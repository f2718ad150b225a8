import type { ColumnTypeDescriptor } from './descriptor';
import { checkComputed } from './value-check';

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
