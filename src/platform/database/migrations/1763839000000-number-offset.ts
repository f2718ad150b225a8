import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Distance between the id of a row and its number. The previous release has no columns of numbers. */
export class NumberOffset1763839000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns ADD COLUMN number_offset bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns DROP COLUMN number_offset');
  }
}
