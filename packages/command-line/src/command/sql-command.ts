import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { SqlOptions, SqlParameter, SqlResult } from '@datagrid/client';
import { type Command, Option } from 'commander';
import { clientOf, Failure, printResponse, WrongUsage } from '../connection.ts';
import { download } from '../output.ts';
import { tableOf } from '../table.ts';
import { addPageOptions } from './resource-commands.ts';

interface Options {
  readonly workspace: string;
  readonly file?: string;
  readonly parameter: readonly string[];
  readonly format: 'table' | 'csv' | 'ndjson' | 'json';
  readonly limit?: string;
  readonly output: string;
}

interface ListOptions {
  readonly workspace: string;
  readonly page?: string;
  readonly limit?: string;
}

/** Adds the commands that run SQL and list its tables. */
export function addSqlCommands(program: Command): void {
  program
    .command('sql')
    .description('Run one SELECT, in the dialect of DuckDB, over the datagrids of a workspace.')
    .argument('[statement]', 'the statement; without it or with -, it is read from standard input')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .option('--file <file>', 'file with the statement')
    .option(
      '--parameter <value>',
      'value of ?, or name=value for $name; can be repeated. 7, true and null are no texts, "7" is one',
      (value: string, others: readonly string[]) => [...others, value],
      [],
    )
    .addOption(
      new Option('--format <format>', 'csv and ndjson have all rows')
        .choices(['table', 'csv', 'ndjson', 'json'])
        .default('table'),
    )
    .option('--limit <number>', 'maximum number of rows; 1000 by default for table and json')
    .option('-o, --output <file>', 'file to write csv or ndjson to, when it is complete', '-')
    .action(runSql);

  const tables = program.command('tables').description('List the tables that SQL can read.');
  const list = tables
    .command('list')
    .description('Print a page of the tables of a workspace.')
    .requiredOption('--workspace <id>', 'id of the workspace');
  addPageOptions(list).action(({ workspace, page, limit }: ListOptions, command: Command) =>
    printResponse(command, `${pathOf(workspace)}/tables`, { page, limit }),
  );
}

const pathOf = (workspace: string): string => `/workspaces/${encodeURIComponent(workspace)}/sql`;

async function runSql(
  argument: string | undefined,
  options: Options,
  command: Command,
): Promise<void> {
  const { workspace, format, output } = options;
  const parameters = parametersOf(options.parameter);
  const limit = options.limit === undefined ? undefined : Number(options.limit);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new WrongUsage('--limit must be an integer from 1.');
  }
  const isFile = format === 'csv' || format === 'ndjson';
  if (!isFile && output !== '-') throw new WrongUsage('--output needs --format csv or ndjson.');
  const client = clientOf(command);
  const sql = await statementOf(argument, options.file);
  if (isFile) {
    const given = { format, parameters, limit, maxAttempts: 1 };
    await download(client, output, 'sql', () => client.sql(workspace).file(sql, given));
    return;
  }
  const body = { sql, parameters, limit };
  const response = await client.request({ method: 'POST', path: pathOf(workspace), body });
  if (format === 'json') {
    process.stdout.write(`${response.text}\n`);
    return;
  }
  const result = JSON.parse(response.text) as SqlResult;
  process.stdout.write(tableOf(result));
  if (result.meta.truncated) {
    const rows = String(result.data.length);
    process.stderr.write(
      `Only the first ${rows} rows are shown. Use --limit, or --format csv or ndjson for all rows.\n`,
    );
  }
}

/** @throws WrongUsage, Failure */
async function statementOf(
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (file === undefined) {
    return argument === undefined || argument === '-' ? text(process.stdin) : argument;
  }
  if (argument !== undefined) throw new WrongUsage('Give the statement or --file, not both.');
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Failure(`Cannot read the file: ${(error as Error).message}`);
  }
}

/** @throws WrongUsage if only some of the parameters have a name. */
function parametersOf(given: readonly string[]): SqlOptions['parameters'] {
  if (given.length === 0) return undefined;
  const named = given.flatMap((one): [string, SqlParameter][] => {
    const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(one) ?? [];
    return name === undefined || value === undefined ? [] : [[name, valueOf(value)]];
  });
  if (named.length === 0) return given.map(valueOf);
  if (named.length === given.length) return Object.fromEntries(named);
  throw new WrongUsage(
    'Give a name to each --parameter or to none. Text with = needs quotes, such as \'"a=b"\'.',
  );
}

/** Returns a value that is written as JSON, or else the text itself. */
function valueOf(given: string): SqlParameter {
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value !== 'object' || value === null) return value as SqlParameter;
  } catch {
    // Text need not have quotes.
  }
  return given;
}
