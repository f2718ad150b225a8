import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids of the columns that a scheduled import names by keys. The previous release neither reads nor writes
 * them. An import without them gets them in its next run.
 */
export class ImportColumnIds1763842000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE scheduled_imports ADD COLUMN column_ids jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE scheduled_imports DROP COLUMN column_ids');
  }
}
