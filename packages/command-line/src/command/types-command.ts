import type { Column, Datagrid } from '@datagrid/client';
import type { Command } from 'commander';
import { clientOf, WrongUsage } from '../connection.ts';

/** Number of choices above which a type is `string` in place of the choices. */
const MAX_CHOICES = 30;

export function addTypesCommand(program: Command): void {
  program
    .command('types')
    .description('Print a TypeScript interface of the columns of a datagrid, for client.rows<…>().')
    .argument('<datagridId>', 'id of the datagrid')
    .option('--name <name>', 'name of the interface; default: from the name of the datagrid')
    .action(async (id: string, { name }: { name?: string }, command: Command) => {
      if (name !== undefined && !/^[A-Za-z_$][\w$]*$/.test(name)) {
        throw new WrongUsage('--name must be the name of a TypeScript interface, such as Flight.');
      }
      process.stdout.write(interfaceOf(await clientOf(command).datagrids.get(id), name));
    });
}

/** Prints an interface of the values of a datagrid's rows. */
export function interfaceOf(
  { name: title, columns }: Pick<Datagrid, 'name' | 'columns'>,
  name = typeNameOf(title),
): string {
  return [
    `/** Values of a row of ${commentOf(JSON.stringify(title))}. Those without a value are absent. */`,
    `export interface ${name} {`,
    ...columns.flatMap(memberOf),
    '}',
    '',
  ].join('\n');
}

/** Returns the name of a datagrid in PascalCase, without accents. */
function typeNameOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Z]/.test(name) ? name : `Datagrid${name}`;
}

function memberOf(column: Column): string[] {
  const { key, title, type, required } = column;
  const notes = [title === key ? '' : title, FORMS[type] ?? ''].filter((note) => note !== '');
  const note = commentOf(notes.join(': '));
  return [
    ...(note === '' ? [] : [`  /** ${note} */`]),
    `  ${READ_ONLY.includes(type) ? 'readonly ' : ''}${key}${required ? '' : '?'}: ${typeOf(column)};`,
  ];
}

/** A title can have line breaks, and the characters that end a comment. */
const commentOf = (text: string): string => text.replaceAll('*/', '* /').replace(/\s+/g, ' ');

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

/** Types whose values the service sets. */
const READ_ONLY: readonly Column['type'][] = [
  'lookup',
  'count',
  'autonumber',
  'createdBy',
  'updatedBy',
];

function typeOf({ type, options }: Column): string {
  switch (type) {
    case 'integer':
    case 'number':
    case 'link':
    case 'count':
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
    case 'json':
    case 'lookup':
      // Values of a lookup have the type of a column of another datagrid.
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
