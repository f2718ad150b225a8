/** Migrations that this process ran when it started. */
export class AppliedMigrations {
  /** Names of the migrations, in the order in which they ran. */
  names: readonly string[] = [];
}
