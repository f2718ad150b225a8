import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { PassingFailure } from '../failure';
import { withRetries } from '../retry';
import { API, Service } from '../service';
import { clientSettings } from '../settings';
import { addQuestionOptions, questionOf, type QuestionOptions } from './question-options';

interface ListOptions extends QuestionOptions {
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
  addQuestionOptions(list).action(runList);
}

async function runList({ datagrid, page, limit, ...question }: ListOptions): Promise<void> {
  const service = new Service(clientSettings());
  const query = questionOf(question, { page, limit });
  const path = `${API}/datagrids/${encodeURIComponent(datagrid)}/rows?${query}`;
  const body = await withRetries(async () => {
    const answer = await service.call({ method: 'GET', path });
    return text(answer).catch(() => {
      throw new PassingFailure('The answer was broken off.');
    });
  });
  process.stdout.write(`${body}\n`);
}
