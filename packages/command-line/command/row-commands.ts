import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { API, clientSettings, Service, TransientError, withRetries } from '../service';

interface ListOptions extends RowQueryOptions {
  readonly datagrid: string;
  readonly page?: string;
  readonly limit?: string;
}

export function addRowCommands(program: Command): void {
  const rows = program.command('rows').description('List rows.');
  const list = rows
    .command('list')
    .description('Print a page of rows as JSON, in the format of the API.')
    .requiredOption('--datagrid <id>', 'id of the datagrid')
    .option('--page <number>', 'page, from 1')
    .option('--limit <number>', 'rows per page');
  addRowQueryOptions(list).action(runList);
}

async function runList({ datagrid, page, limit, ...rowQuery }: ListOptions): Promise<void> {
  const service = new Service(clientSettings());
  const query = rowQueryOf(rowQuery, { page, limit });
  const path = `${API}/datagrids/${encodeURIComponent(datagrid)}/rows?${query}`;
  const body = await withRetries(async () => {
    const response = await service.call({ method: 'GET', path });
    return text(response).catch(() => {
      throw new TransientError('The response ended early.');
    });
  });
  process.stdout.write(`${body}\n`);
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

/** Returns the query string of a URL, with the options that are set. */
export function rowQueryOf(
  { filter, sort, fields, q, view }: RowQueryOptions,
  others: Readonly<Record<string, string | undefined>>,
): string {
  const all = Object.entries({ ...others, filter, sort, fields, q, view });
  const given = all.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return new URLSearchParams(Object.fromEntries(given)).toString();
}
