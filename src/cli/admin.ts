import { Command } from 'commander';
import 'reflect-metadata';
import { addAccountCommands } from './command/account-commands';
import { addAuditCommands } from './command/audit-commands';
import { addConnectionCommands } from './command/connection-commands';
import { addApplicationCommands } from './command/application-commands';
import { addKeyCommands } from './command/key-commands';
import { addMigrateCommand } from './command/migrate-command';
import { addScimCommands } from './command/scim-commands';
import { addSecretCommands } from './command/secret-commands';
import { addUserCommands } from './command/user-commands';
import { addVerifyCommand } from './command/verify-command';
import { addWebhookCommands } from './command/webhook-commands';
import { reportFailure } from './outcome';

// Entry point of the operator commands: `npm run -s admin -- …`. Tests load this file, too.
if (require.main === module) void runAdmin(process.argv.slice(2));

/** Runs a command. If it fails, the exit code of the process says so. */
export async function runAdmin(args: readonly string[]): Promise<void> {
  try {
    await adminProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportFailure(error, args.includes('--json'));
  }
}

/**
 * Creates the program with all commands. A usage error is printed to standard error and thrown as a
 * CommanderError.
 */
export function adminProgram(): Command {
  const program = new Command('admin')
    .description(
      'Administration commands. They run beside the service, on the database of DATABASE_URL, or ' +
        'on the embedded database if DATABASE_URL is not set. Only "migrate" changes a schema. ' +
        'Only "migrate" and "account create" create a schema in an empty database.',
    )
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  addAccountCommands(program);
  addUserCommands(program);
  addKeyCommands(program);
  addApplicationCommands(program);
  addAuditCommands(program);
  addWebhookCommands(program);
  addConnectionCommands(program);
  addSecretCommands(program);
  addScimCommands(program);
  addVerifyCommand(program);
  addMigrateCommand(program);
  return program;
}
