import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the rule that users sign in only by a provider. The previous release does not know it. */
export class SingleSignOnRule1763848500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN IF NOT EXISTS exempt_user_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN exempt_user_id');
  }
}
