import type { Command } from 'commander';
import { AppliedMigrations } from '../../platform/database/migrate';
import { runs, type Work } from '../admin-command';

/** Reports the applied migrations. The migrations run while the application starts. */
const migrate: Work<object> = (app) => {
  const { names } = app.get(AppliedMigrations);
  const text = names.length > 0 ? `Applied ${names.join(', ')}.` : 'The schema is up to date.';
  return Promise.resolve({ json: { applied: names }, text });
};

export function addMigrateCommand(program: Command): void {
  runs(
    program
      .command('migrate')
      .description('apply pending migrations, as the service does when it starts'),
    migrate,
    'migrate',
  );
}
