import { accept, reject, type Checked } from '../../../datagrids/column-type/checked';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

const TEXT_TYPES = new Set(['text', 'email', 'url']);

/**
 * Checks an operand against its column, and converts it to the form in which values are stored.
 * For a column of addresses or URLs any string is valid, for example a part of one. A `decimal` can
 * also be compared with a number. A choice must be one of the column's choices.
 */
export function checkOperand(column: SchemaColumn, operand: unknown): Checked {
  if (operand === null) return reject('wrong_type', 'must not be null; use $isNull');
  if (column.type === 'multiSelect') return checkChoice(column, operand);
  if (TEXT_TYPES.has(column.type)) return checkText(operand);
  if (column.type === 'decimal' && typeof operand === 'number') return accept(operand);
  return column.check(operand);
}

function checkText(operand: unknown): Checked {
  return typeof operand === 'string' ? accept(operand) : reject('wrong_type', 'must be a string');
}

function checkChoice({ options }: SchemaColumn, operand: unknown): Checked {
  if (typeof operand !== 'string') return reject('wrong_type', 'must be a string');
  return options.choices?.includes(operand) === true
    ? accept(operand)
    : reject('not_a_choice', "must be one of the column's choices");
}
