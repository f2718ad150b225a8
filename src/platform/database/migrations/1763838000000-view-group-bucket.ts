import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Period by which a view groups dates. The previous release neither reads nor writes it. If that
 * release changes the column of the groups, the period stays, and applies if the new column has
 * dates, too.
 */
export class ViewGroupBucket1763838000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_views ADD COLUMN group_bucket text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_views DROP COLUMN group_bucket');
  }
}
