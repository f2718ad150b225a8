import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { SchemaDemand } from '../platform/database/schema-state';
import { withAdminApplication } from './admin-application';
import { reportOutcome, type Outcome } from './outcome';

/** Does what a command is for, with the application's services and the command's options. */
export type Work<Options> = (app: INestApplicationContext, options: Options) => Promise<Outcome>;

/**
 * Gives a command its work, and `--json`. `Options` must be what the command's options come to:
 * commander cannot know. No command makes or migrates a schema, unless that is what it demands.
 */
export function runs<Options>(
  command: Command,
  work: Work<Options>,
  schema: SchemaDemand = 'current',
): void {
  command
    .option('--json', 'print one JSON object, and nothing else, on standard output')
    .action(async (options: Options & { readonly json?: boolean }) => {
      const outcome = await withAdminApplication(schema, (app) => work(app, options));
      reportOutcome(outcome, options.json ?? false);
    });
}
