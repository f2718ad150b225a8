import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The columns that tables of connections have in their destinations. The previous release neither reads
 * nor writes them. A table without them gets them in its next run.
 */
export class DestinationColumns1763842300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection_tables ADD COLUMN destination_columns jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection_tables DROP COLUMN destination_columns');
  }
}
