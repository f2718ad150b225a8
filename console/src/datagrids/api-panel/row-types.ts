import type { Column, Datagrid } from '../datagrid';
import { isReadOnly } from '../column-type';
import { keyFor } from '../columns/key-for';

/** Number of choices above which a type has texts in place of them. */
const MAX_CHOICES = 30;

/** Prints TypeScript types of the rows of a datagrid, as the API returns them. */
export function rowTypes({ name, columns }: Pick<Datagrid, 'name' | 'columns'>): string {
  const key = keyFor(name);
  const prefix = key === '' ? 'Datagrid' : `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  return [
    '/** Values without a value are absent. In a request, `null` removes a value; leave out those that are readonly. */',
    `export interface ${prefix}Values {`,
    ...columns.flatMap(memberOf),
    '}',
    '',
    `export interface ${prefix}Row {`,
    '  id: number;',
    `  values: ${prefix}Values;`,
    '  revision: number;',
    '  createdAt: string;',
    '  updatedAt: string;',
    '}',
  ].join('\n');
}

function memberOf(column: Column): string[] {
  const { key, title, type, required } = column;
  const notes = [title === key ? '' : title, FORMS[type] ?? ''].filter((note) => note !== '');
  // A title can have the characters that end a comment.
  const note = notes.join(': ').replaceAll('*/', '* /').replace(/\s+/g, ' ');
  return [
    ...(note === '' ? [] : [`  /** ${note} */`]),
    `  ${isReadOnly(type) ? 'readonly ' : ''}${key}${required ? '' : '?'}: ${typeOf(column)};`,
  ];
}

/** Forms of texts that their type does not show. */
const FORMS: Partial<Record<Column['type'], string>> = {
  decimal: 'a decimal number, such as "1204.50"',
  date: 'a date, such as "2026-11-21"',
  datetime: 'a time in UTC, such as "2026-11-21T09:30:00.000Z"',
  autonumber: 'set by the service',
  createdBy: 'ID of the key or user who created the row, set by the service',
  updatedBy: 'ID of the key or user who last changed the row, set by the service',
};

function typeOf({ type, options }: Column): string {
  switch (type) {
    case 'integer':
    case 'number':
    case 'link':
    case 'autonumber':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'select':
      return choicesOf(options.choices);
    case 'multiSelect':
      return `(${choicesOf(options.choices)})[]`;
    case 'multiLink':
      return 'number[]';
    case 'count':
      return 'number';
    case 'json':
    case 'lookup':
      return 'unknown';
    case 'text':
    case 'decimal':
    case 'date':
    case 'datetime':
    case 'email':
    case 'url':
    case 'createdBy':
    case 'updatedBy':
      return 'string';
  }
}

function choicesOf(choices: readonly string[] = []): string {
  if (choices.length === 0 || choices.length > MAX_CHOICES) return 'string';
  return choices.map((choice) => JSON.stringify(choice)).join(' | ');
}
