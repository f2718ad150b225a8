import { accept, reject, type Checked } from '../../../datagrids/column-type/checked';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

const TEXT_TYPES = new Set(['text', 'email', 'url']);

/**
 * Checks what a column is compared with, and brings it into the form that values are stored in.
 * Text need not be a whole address or URL to be compared with one; a `decimal` may be compared
 * with a number too; a choice must be one of the column's.
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
