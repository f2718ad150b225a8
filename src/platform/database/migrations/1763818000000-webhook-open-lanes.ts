import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds an index of the lanes that have something to deliver. Existing ones enter it with the first
 * look of a sender. Deliveries that succeed do not change the columns of the index.
 */
const UP = `
ALTER TABLE webhook_lanes ADD COLUMN is_open boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_lanes_open ON webhook_lanes (webhook_id, next_attempt_at) WHERE is_open;
`;

const DOWN = `
DROP INDEX webhook_lanes_open;
ALTER TABLE webhook_lanes DROP COLUMN is_open;
`;

export class WebhookOpenLanes1763818000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
