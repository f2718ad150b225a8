import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys that a column had before, which requests may still use. The previous release neither reads nor
 * writes them, and rejects requests with these keys.
 */
export class PreviousKeys1763841000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE datagrid_columns ADD COLUMN previous_keys jsonb NOT NULL DEFAULT '[]'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns DROP COLUMN previous_keys');
  }
}
