import type { Command } from 'commander';
import { printResponse } from '../connection.ts';

interface PageOptions {
  readonly page?: string;
  readonly limit?: string;
}

/** Adds the commands that print the key, workspaces and datagrids as JSON, in the format of the API. */
export function addResourceCommands(program: Command): void {
  program
    .command('me')
    .description('Print the API key, its owner and its limits.')
    .action((_options: object, command: Command) => printResponse(command, '/me'));

  const workspaces = program.command('workspaces').description('List workspaces.');
  const listed = workspaces.command('list').description('Print a page of workspaces.');
  addPageOptions(listed).action(({ page, limit }: PageOptions, command: Command) =>
    printResponse(command, '/workspaces', { page, limit }),
  );

  const datagrids = program.command('datagrids').description('List and read datagrids.');
  const ofWorkspace = datagrids
    .command('list')
    .description('Print a page of the datagrids of a workspace.')
    .requiredOption('--workspace <id>', 'id of the workspace');
  addPageOptions(ofWorkspace).action(
    ({ workspace, page, limit }: PageOptions & { workspace: string }, command: Command) => {
      const path = `/workspaces/${encodeURIComponent(workspace)}/datagrids`;
      return printResponse(command, path, { page, limit });
    },
  );
  datagrids
    .command('get')
    .description('Print a datagrid with its columns.')
    .argument('<datagridId>', 'id of the datagrid')
    .action((id: string, _options: object, command: Command) =>
      printResponse(command, `/datagrids/${encodeURIComponent(id)}`),
    );
}

export function addPageOptions(command: Command): Command {
  return command
    .option('--page <number>', 'page, from 1')
    .option('--limit <number>', 'items per page');
}
