import type { ExportOptions } from '@datagrid/client';
import { type Command, Option } from 'commander';
import { clientOf } from '../connection.ts';
import { download } from '../output.ts';
import { DELIMITERS } from './import-command.ts';
import { addRowQueryOptions, rowQueryOf, type RowQueryOptions } from './row-commands.ts';

interface Options extends RowQueryOptions {
  readonly datagrid: string;
  readonly format: ExportOptions['format'];
  readonly shape?: ExportOptions['shape'];
  readonly linkKeys?: string;
  readonly delimiter?: string;
  readonly escapeFormulas?: boolean;
  readonly bom?: boolean;
  readonly gzip?: boolean;
  readonly output: string;
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('Export all rows, or those that match, to a file or standard output.')
    .requiredOption('--datagrid <id>', 'id of the datagrid')
    .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('ndjson'))
    .addOption(
      new Option('--shape <shape>', 'objects of NDJSON: values only, or whole rows').choices([
        'values',
        'row',
      ]),
    )
    .option(
      '--link-keys <columns>',
      'link columns to export as keys of the linked rows, such as from.iata,to.iata',
    )
    .addOption(new Option('--delimiter <name>', 'delimiter of CSV').choices(DELIMITERS))
    .option(
      '--escape-formulas',
      'put an apostrophe before text that spreadsheets would run as a formula',
    )
    .option('--bom', 'start CSV with a byte order mark, for Excel')
    .option('--gzip', 'compress the transfer')
    .option('-o, --output <file>', 'file to write; it is created when the export is complete', '-');
  addRowQueryOptions(command).action(runExport);
}

async function runExport(options: Options, command: Command): Promise<void> {
  const client = clientOf(command);
  const { datagrid, format, shape, delimiter, escapeFormulas, bom, gzip = false, output } = options;
  await download(client, output, 'export', () =>
    client.rows(datagrid).export({
      ...rowQueryOf(options),
      ...{ format, shape, delimiter, escapeFormulas, bom },
      linkKeys: options.linkKeys?.split(','),
      compress: gzip,
      maxAttempts: 1,
    }),
  );
}
