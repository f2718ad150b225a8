import { Command } from 'commander';
import { addAccountCommands } from './command/account-commands';
import { addAuditCommands } from './command/audit-commands';
import { addKeyCommands } from './command/key-commands';
import { addMigrateCommand } from './command/migrate-command';
import { addUserCommands } from './command/user-commands';
import { addVerifyCommand } from './command/verify-command';

/**
 * Creates the program with all commands. A usage error is printed to standard error and thrown as a
 * CommanderError.
 */
export function adminProgram(): Command {
  const program = new Command('admin')
    .description(
      'Operators’ commands. They work beside a running service, on the database that the ' +
        'environment names, or on the embedded one where it names none. Only "migrate" changes a ' +
        'schema, and only it and "account create" make one in an empty database.',
    )
    .exitOverride()
    .showHelpAfterError('(--help tells what there is)');
  addAccountCommands(program);
  addUserCommands(program);
  addKeyCommands(program);
  addAuditCommands(program);
  addVerifyCommand(program);
  addMigrateCommand(program);
  return program;
}
