import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { TransientError } from '../failure';
import { withRetries } from '../retry';
import { API, Service } from '../service';
import { clientSettings } from '../settings';
import { addRowQueryOptions, rowQueryOf, type RowQueryOptions } from './row-query-options';

interface ListOptions extends RowQueryOptions {
  readonly datagrid: string;
  readonly page?: string;
  readonly limit?: string;
}

export function addRowCommands(program: Command): void {
  const rows = program.command('rows').description('Look at rows.');
  const list = rows
    .command('list')
    .description('Print a page of rows as the API gives it, as JSON.')
    .requiredOption('--datagrid <id>', 'the datagrid to look at')
    .option('--page <number>')
    .option('--limit <number>');
  addRowQueryOptions(list).action(runList);
}

async function runList({ datagrid, page, limit, ...rowQuery }: ListOptions): Promise<void> {
  const service = new Service(clientSettings());
  const query = rowQueryOf(rowQuery, { page, limit });
  const path = `${API}/datagrids/${encodeURIComponent(datagrid)}/rows?${query}`;
  const body = await withRetries(async () => {
    const answer = await service.call({ method: 'GET', path });
    return text(answer).catch(() => {
      throw new TransientError('The answer was broken off.');
    });
  });
  process.stdout.write(`${body}\n`);
}
