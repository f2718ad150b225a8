import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the column without a default, so that PostgreSQL rewrites no row and the previous release
 * still works.
 */
const UP = `
-- Accounts take turns: whose turns the purge takes. NULL: it is not known.
ALTER TABLE datagrid_purges ADD COLUMN account_id uuid;
`;

const DOWN = `
ALTER TABLE datagrid_purges DROP COLUMN account_id;
`;

export class PurgeAccounts1763811000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
