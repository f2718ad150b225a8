import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes whom the directory of an account has suspended. The previous release does not know it. */
export class SuspendedByDirectory1763854500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE users ADD COLUMN suspended_by_directory boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN suspended_by_directory');
  }
}
