import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The key that a rotation created in place of a key. No foreign key: old keys are deleted in any
 * order. Keys rotated before have no mark.
 */
export class ReplacedKeys1763825000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN replaced_by_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN replaced_by_id');
  }
}
