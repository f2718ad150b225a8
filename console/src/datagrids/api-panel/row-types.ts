import type { Column, Datagrid } from '../datagrid';
import { isComputed, isReadOnly } from '../column-type';
import { keyFor } from '../columns/key-for';

/** Number of choices above which a type has texts in place of them. */
const MAX_CHOICES = 30;

/**
 * Prints TypeScript types of the rows of a datagrid, as the API returns and accepts them. `datagrid types`
 * of the command line also knows the types of lookups, because it reads the linked datagrids.
 */
export function rowTypes({ name, columns }: Pick<Datagrid, 'name' | 'columns'>): string {
  const key = keyFor(name);
  const prefix = key === '' ? 'Datagrid' : `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  return [
    '/** Values of a row, as they are read. Those without a value are absent. */',
    `export interface ${prefix}Values {`,
    ...columns.flatMap((column) => memberOf(column, 'read', columns)),
    '}',
    '',
    '/** Values of a new row, or of a change, where `null` removes a value. */',
    `export interface ${prefix}Input {`,
    ...columns.flatMap((column) => memberOf(column, 'write', columns)),
    '}',
    '',
    '/** All values of a row. Those that the service sets must be as they were read, or left out. */',
    `export interface ${prefix}Replacement {`,
    ...columns.flatMap((column) => memberOf(column, 'replace', columns)),
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

/** What values of a type are used for. */
type Use = 'read' | 'write' | 'replace';

function memberOf(column: Column, use: Use, columns: readonly Column[]): string[] {
  const { key, title, type, required, defaultValue } = column;
  const isWritable = isAccepted(type, use);
  const notes = [title === key ? '' : title, FORMS[type] ?? ''].filter((note) => note !== '');
  // A title can have the characters that end a comment. Values that cannot be written are explained above.
  const text = notes.join(': ').replaceAll('*/', '* /').replace(/\s+/g, ' ');
  const note = isWritable ? text : '';
  const isOptional = !required || (use === 'write' && defaultValue !== undefined);
  const modifier = use === 'read' && isReadOnly(type) ? 'readonly ' : '';
  return [
    ...(note === '' ? [] : [`  /** ${note} */`]),
    `  ${modifier}${key}${isOptional ? '?' : ''}: ${isWritable ? typeOf(column, columns) : 'never'};`,
  ];
}

function isAccepted(type: Column['type'], use: Use): boolean {
  if (use === 'read') return true;
  return use === 'write' ? !isReadOnly(type) : !isComputed(type);
}

/** Forms of texts that their type does not show. */
const FORMS: Partial<Record<Column['type'], string>> = {
  decimal: 'a decimal number, such as "1204.50"',
  date: 'a date, such as "2026-11-21"',
  datetime: 'a time in UTC, such as "2026-11-21T09:30:00.000Z"',
  lookup: 'computed: leave it out of writes',
  count: 'computed: leave it out of writes',
  autonumber: 'set by the service',
  createdBy: 'ID of the key or user who created the row, set by the service',
  updatedBy: 'ID of the key or user who last changed the row, set by the service',
};

function typeOf({ type, options }: Column, columns: readonly Column[]): string {
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
      return 'unknown';
    case 'lookup':
      // Values have the type of a column of another datagrid.
      return columns.find(({ key }) => key === options.link)?.type === 'multiLink'
        ? 'unknown[]'
        : 'unknown';
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
