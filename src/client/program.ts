import { Command } from 'commander';
import { addExportCommand } from './command/export-command';
import { addImportCommand } from './command/import-command';
import { addRowCommands } from './command/row-commands';

/**
 * Creates the program with all commands. A usage error is printed to standard error and thrown as a
 * CommanderError.
 */
export function clientProgram(): Command {
  const program = new Command('datagrid')
    .description(
      'Moves rows in and out of datagrids. DATAGRID_URL says where the service is, ' +
        'DATAGRID_API_KEY who asks.',
    )
    .exitOverride()
    .showHelpAfterError('(--help tells what there is)');
  addImportCommand(program);
  addExportCommand(program);
  addRowCommands(program);
  return program;
}
