import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { clientOf, printResponse, WrongUsage } from '../connection.ts';
import { addPageOptions } from './resource-commands.ts';

interface OfDatagrid {
  readonly datagrid: string;
}

interface ReadOptions extends OfDatagrid {
  readonly expand?: string;
}

interface ListOptions extends RowQueryOptions, ReadOptions {
  readonly page?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

interface ValueOptions extends OfDatagrid {
  readonly values: string;
}

/** Adds the commands that print and change rows. They print JSON, in the format of the API. */
export function addRowCommands(program: Command): void {
  const rows = program.command('rows').description('List, read and change rows.');
  const list = ofDatagrid(rows.command('list').description('Print a page of rows.'));
  addPageOptions(list).option(
    '--cursor <cursor>',
    'position in place of --page: "" for the first page, then meta.nextCursor of the last one',
  );
  withExpand(addRowQueryOptions(list)).action(runList);

  withExpand(ofDatagrid(rows.command('get').description('Print a row.')))
    .argument('<rowId>', 'id of the row')
    .action((id: string, { datagrid, expand }: ReadOptions, command: Command) =>
      printResponse(command, pathOf(datagrid, id), { expand }),
    );

  withValues(ofDatagrid(rows.command('create').description('Create a row, and print it.'))).action(
    ({ datagrid, values }: ValueOptions, command: Command) =>
      write(command, 'POST', pathOf(datagrid), values),
  );

  const update = rows
    .command('update')
    .description('Change values of a row, and print it. null clears a value.')
    .argument('<rowId>', 'id of the row');
  withValues(ofDatagrid(update)).action(
    (id: string, { datagrid, values }: ValueOptions, command: Command) =>
      write(command, 'PATCH', pathOf(datagrid, id), values),
  );

  ofDatagrid(rows.command('delete').description('Delete a row.'))
    .argument('<rowId>', 'id of the row')
    .action(async (id: string, { datagrid }: OfDatagrid, command: Command) => {
      await clientOf(command).request({ method: 'DELETE', path: pathOf(datagrid, id) });
    });
}

function ofDatagrid(command: Command): Command {
  return command.requiredOption('--datagrid <id>', 'id of the datagrid');
}

function withExpand(command: Command): Command {
  return command.option(
    '--expand <columns>',
    'link columns whose rows to add as meta.linked, such as from,to.country',
  );
}

function withValues(command: Command): Command {
  return command.requiredOption(
    '--values <json>',
    'values by column key, such as {"name":"Bern"}; - reads them from standard input',
  );
}

function pathOf(datagrid: string, row?: string): string {
  const rows = `/datagrids/${encodeURIComponent(datagrid)}/rows`;
  return row === undefined ? rows : `${rows}/${encodeURIComponent(row)}`;
}

async function runList(options: ListOptions, command: Command): Promise<void> {
  const { datagrid, page, limit, cursor, expand } = options;
  const query = { page, limit, cursor, expand, ...rowQueryOf(options) };
  await printResponse(command, pathOf(datagrid), query);
}

async function write(
  command: Command,
  method: 'POST' | 'PATCH',
  path: string,
  values: string,
): Promise<void> {
  const json = values === '-' ? await text(process.stdin) : values;
  requireObject(json);
  // As it was written: numbers must not be rounded.
  const bodyText = `{"values":${json}}`;
  const response = await clientOf(command).request({ method, path, bodyText });
  process.stdout.write(`${response.text}\n`);
}

/** @throws WrongUsage */
function requireObject(json: string): void {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new WrongUsage(`--values is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WrongUsage('--values must be a JSON object, such as {"name":"Bern"}.');
  }
}

/** Command-line options that select rows. */
export interface RowQueryOptions {
  readonly filter?: string;
  readonly sort?: string;
  readonly fields?: string;
  readonly q?: string;
  readonly view?: string;
}

export function addRowQueryOptions(command: Command): Command {
  return command
    .option('--filter <json>', 'filter, such as {"status":"paid"}')
    .option(
      '--sort <columns>',
      'up to four columns, separated by commas; - before a column means descending',
    )
    .option('--fields <columns>', 'columns to return, separated by commas')
    .option('--q <text>', 'text to search for in all text columns')
    .option('--view <id>', 'saved view, which the other options narrow or replace');
}

/** Returns the parameters that select rows. */
export function rowQueryOf(options: RowQueryOptions): RowQueryOptions {
  const { filter, sort, fields, q, view } = options;
  const all = Object.entries({ filter, sort, fields, q, view });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
