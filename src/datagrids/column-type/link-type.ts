import { BYTES_PER_ITEM, type ColumnTypeDescriptor } from './descriptor';
import { checkLink, checkLinks, MAX_LINKS } from './value-check';

/** Digits of a row id, a comma and a space. */
const BYTES_PER_LINK = 18;

/** Column types whose values are ids of rows. */
export const LINK_TYPES = {
  link: {
    description: 'the id of a row of the datagrid `options.datagridId`',
    checkFor: () => checkLink,
    hasChoices: false,
    isLink: true,
    jsonType: 'number',
    maxBytes: () => BYTES_PER_LINK,
    holdsEvery: null,
    convert: null,
    comparedAs: 'number',
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['equality', 'presence'],
    checkOperand: null,
    cell: 'number',
    fitsCell: null,
    mayBeFormula: false,
  },
  multiLink: {
    description:
      'an array of up to 200 ids of rows of the datagrid `options.datagridId`, each once',
    checkFor: () => checkLinks,
    hasChoices: false,
    isLink: true,
    jsonType: 'array',
    maxBytes: () => MAX_LINKS * (BYTES_PER_LINK + BYTES_PER_ITEM),
    holdsEvery: null,
    convert: null,
    comparedAs: null,
    mayBeTruncated: false,
    isDecimalText: false,
    operators: ['linked', 'presence'],
    checkOperand: checkLink,
    cell: 'json',
    fitsCell: null,
    mayBeFormula: false,
  },
} satisfies Record<string, ColumnTypeDescriptor>;
