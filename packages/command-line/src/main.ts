#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addExportCommand } from './command/export-command.ts';
import { addImportCommand } from './command/import-command.ts';
import { addResourceCommands } from './command/resource-commands.ts';
import { addRowCommands } from './command/row-commands.ts';
import { addSqlCommands } from './command/sql-command.ts';
import { addTypesCommand } from './command/types-command.ts';
import { explain, WrongUsage } from './connection.ts';

/**
 * Entry point of the command-line client for integrators: `datagrid …`. Exits with 0 on success, 1
 * on failure, and 2 on a usage error.
 */
async function main(): Promise<void> {
  try {
    await clientProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // Commander has already printed usage errors, together with the usage help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text = explain(error) ?? String((error as Error).stack);
  process.stderr.write(`error: ${text}\n`);
  return error instanceof WrongUsage ? 2 : 1;
}

void main();

/**
 * Creates the program with all commands. A usage error is printed to standard error and thrown as a
 * CommanderError.
 */
function clientProgram(): Command {
  const program = new Command('datagrid')
    .description(
      'Import, export, query, list and change rows of datagrids. Set DATAGRID_URL to the URL of the ' +
        'service, and DATAGRID_API_KEY to an API key.',
    )
    .version(version())
    .option('--url <url>', 'URL of the service, in place of DATAGRID_URL')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  addImportCommand(program);
  addExportCommand(program);
  addRowCommands(program);
  addResourceCommands(program);
  addSqlCommands(program);
  addTypesCommand(program);
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
