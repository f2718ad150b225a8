import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds when the user of a session was last proven. Sessions of the previous release count from their start. */
export class SessionProof1763848700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sessions ADD COLUMN IF NOT EXISTS proven_at timestamptz(3) NOT NULL DEFAULT now()',
    );
    await runner.query('UPDATE sessions SET proven_at = created_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN proven_at');
  }
}
