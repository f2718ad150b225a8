import { ApiError, type Column, type Datagrid, type Datagrids } from '@datagrid/client';
import type { Command } from 'commander';
import { clientOf, WrongUsage } from '../connection.ts';

/** Number of choices above which a type is `string` in place of the choices. */
const MAX_CHOICES = 30;

export function addTypesCommand(program: Command): void {
  program
    .command('types')
    .description(
      'Print TypeScript types of the values of rows, for client.rows<Flight, FlightInput, FlightReplacement>(…).',
    )
    .argument('<datagridId>', 'id of the datagrid')
    .option('--name <name>', 'name of the first type; default: from the name of the datagrid')
    .action(async (id: string, { name }: { name?: string }, command: Command) => {
      if (name !== undefined && !/^[A-Za-z_$][\w$]*$/.test(name)) {
        throw new WrongUsage('--name must be the name of a TypeScript interface, such as Flight.');
      }
      const { datagrids } = clientOf(command);
      const datagrid = await datagrids.get(id);
      process.stdout.write(typesOf(datagrid, name, await linkedColumns(datagrids, datagrid)));
    });
}

/** Columns that the lookups of a datagrid read, by the keys of the lookups. */
type LinkedColumns = ReadonlyMap<string, Column>;

/** Reads the linked datagrids. Lookups of those that the API key has no access to have no entry. */
async function linkedColumns(datagrids: Datagrids, own: Datagrid): Promise<LinkedColumns> {
  const read = new Map<string, readonly Column[]>([[own.id, own.columns]]);
  const found = new Map<string, Column>();
  for (const lookup of own.columns.filter(({ type }) => type === 'lookup')) {
    const id = linkOf(lookup, own.columns)?.options.datagridId;
    if (id === undefined || lookup.options.broken === true) continue;
    const columns = read.get(id) ?? (await columnsOf(datagrids, id));
    read.set(id, columns);
    const column = columns.find(({ key }) => key === lookup.options.column);
    if (column) found.set(lookup.key, column);
  }
  return found;
}

async function columnsOf(datagrids: Datagrids, id: string): Promise<readonly Column[]> {
  try {
    return (await datagrids.get(id)).columns;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}

const linkOf = (lookup: Column, columns: readonly Column[]): Column | undefined =>
  columns.find(({ key }) => key === lookup.options.link);

/** Prints the types of values that are read, of values of new rows and of changes, and of replacements. */
export function typesOf(
  { name: title, columns }: Pick<Datagrid, 'name' | 'columns'>,
  name = typeNameOf(title),
  linked: LinkedColumns = new Map(),
): string {
  const datagrid = commentOf(JSON.stringify(title));
  const interfaceOf = (typeName: string, about: string, use: Use): string[] => [
    `/** ${about} */`,
    `export interface ${typeName} {`,
    ...columns.flatMap((column) => memberOf(column, use, typeOf(column, columns, linked))),
    '}',
    '',
  ];
  return [
    ...interfaceOf(
      name,
      `Values of a row of ${datagrid}, as they are read. Those without a value are absent.`,
      'read',
    ),
    ...interfaceOf(
      `${name}Input`,
      'Values of a new row, or of a change. Default values can be left out.',
      'write',
    ),
    ...interfaceOf(
      `${name}Replacement`,
      'All values of a row. Those that the service sets must be as they were read, or left out.',
      'replace',
    ),
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

/** What values of a type are used for. */
type Use = 'read' | 'write' | 'replace';

function memberOf(column: Column, use: Use, valueType: string): string[] {
  const { key, title, type, required, defaultValue } = column;
  const isWritable = isAccepted(type, use);
  const notes = [title === key ? '' : title, FORMS[type] ?? ''].filter((note) => note !== '');
  // Values that cannot be written are explained where they are read.
  const note = isWritable ? commentOf(notes.join(': ')) : '';
  const isOptional = !required || (use === 'write' && defaultValue !== undefined);
  const modifier = use === 'read' && SET.has(type) ? 'readonly ' : '';
  return [
    ...(note === '' ? [] : [`  /** ${note} */`]),
    `  ${modifier}${key}${isOptional ? '?' : ''}: ${isWritable ? valueType : 'never'};`,
  ];
}

function isAccepted(type: Column['type'], use: Use): boolean {
  if (use === 'read') return true;
  return use === 'write' ? !SET.has(type) : !COMPUTED.has(type);
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

/** Types whose values the service computes when rows are read. */
const COMPUTED: ReadonlySet<Column['type']> = new Set(['lookup', 'count']);

/** Types whose values only the service sets. */
const SET: ReadonlySet<Column['type']> = new Set([
  ...COMPUTED,
  ...(['autonumber', 'createdBy', 'updatedBy'] as const),
]);

function typeOf(column: Column, columns: readonly Column[], linked: LinkedColumns): string {
  if (column.type !== 'lookup') return storedTypeOf(column);
  const read = linked.get(column.key);
  const type = read ? storedTypeOf(read) : 'unknown';
  if (linkOf(column, columns)?.type !== 'multiLink') return type;
  return type.includes('|') ? `(${type})[]` : `${type}[]`;
}

/** Type of a column that is not a lookup, and that a lookup can read. */
function storedTypeOf({ type, options }: Column): string {
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
