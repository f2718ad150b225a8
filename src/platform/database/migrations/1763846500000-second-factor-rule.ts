import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the rule that all users of an account need a second factor. The previous release does not know it. */
export class SecondFactorRule1763846500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE accounts ADD COLUMN IF NOT EXISTS requires_second_factor boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN requires_second_factor');
  }
}
