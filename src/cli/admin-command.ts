import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { RequiredSchema } from '../platform/database/schema-state';
import { withAdminApplication } from './admin-application';
import { reportOutcome, type Outcome } from './outcome';

/** Runs a command with the application's services and the command's options. */
export type Work<Options> = (app: INestApplicationContext, options: Options) => Promise<Outcome>;

/**
 * Sets the action of a command and adds the option `--json`. `Options` must match the options that
 * the command declares; commander cannot check this. A command creates or migrates a schema only if
 * its `schema` demand says so.
 */
export function runs<Options>(
  command: Command,
  work: Work<Options>,
  schema: RequiredSchema = 'current',
): void {
  command
    .option('--json', 'print the result as one JSON object')
    .action(async (options: Options & { readonly json?: boolean }) => {
      const outcome = await withAdminApplication(schema, (app) => work(app, options));
      reportOutcome(outcome, options.json ?? false);
    });
}
