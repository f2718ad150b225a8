import { COLUMN_TYPES } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { readDate, readDatetime, type LocaleForms } from './locale-forms';
import { choicesOf } from './shown-value';

/**
 * Returns a text of another program as the user would type it here: numbers with the separators of
 * the locale, dates in its order, `TRUE` and `yes`, and lists of choices. Other texts are returned
 * unchanged, and the service checks them.
 */
export function readForeign(
  column: Pick<Column, 'type'>,
  text: string,
  forms: LocaleForms,
): string {
  const trimmed = text.trim();
  const { type } = column;
  if (COLUMN_TYPES[type].isNumeric) return readNumber(trimmed, forms);
  if (type === 'boolean') return BOOLEANS.get(trimmed.toLowerCase()) ?? trimmed;
  if (type === 'date') return readDate(trimmed, forms) ?? trimmed;
  if (type === 'datetime') return readDatetime(trimmed, forms) ?? trimmed;
  return text;
}

const BOOLEANS = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['0', 'false'],
]);

/** Moves digits only; a text that is no number in the notation stays as it is. */
function readNumber(text: string, { decimal, group }: LocaleForms): string {
  const groups = /^\s$/.test(group) ? '[\\s\\u00a0\\u202f]' : escaped(group);
  const pattern = new RegExp(
    `^([-+\\u2212]?)(\\d{1,3}(?:${groups}\\d{3})+|\\d+)(?:${escaped(decimal)}(\\d+))?$`,
  );
  const match = pattern.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction] = match;
  const digits = whole.replace(/\D/g, '');
  return `${/[-\u2212]/.test(sign) ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Prints a list of choices without JSON where it can be read again exactly. */
export function printChoices(typed: string): string {
  const choices = choicesOf(typed);
  const isPlain = choices.every((one) => /^[^\s,["][^,"\n\r]*$/.test(one) && one === one.trim());
  return choices.length > 0 && isPlain ? choices.join(', ') : typed;
}

export function readChoices(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('[')) return trimmed;
  return JSON.stringify(trimmed.split(',').map((one) => one.trim()));
}

function escaped(separator: string): string {
  return separator.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
