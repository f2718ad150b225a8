import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds counts that each step commits, so that reports are exact even if the process is killed. */
export class ImportSteps1763784000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE imports
        ADD COLUMN rows_behind bigint NOT NULL DEFAULT 0,
        ADD COLUMN refused_behind bigint NOT NULL DEFAULT 0,
        ADD COLUMN errors_behind jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE imports
        DROP COLUMN rows_behind, DROP COLUMN refused_behind, DROP COLUMN errors_behind`);
  }
}
