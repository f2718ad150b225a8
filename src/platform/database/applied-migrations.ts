/** What this process's start has changed of the schema. */
export class AppliedMigrations {
  /** Names of the migrations that it ran, in order. */
  names: readonly string[] = [];
}
