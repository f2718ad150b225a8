import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds columns whose defaults PostgreSQL does not write to existing lanes. */
const UP = `
ALTER TABLE webhook_lanes ADD COLUMN revision_at timestamptz(3);
ALTER TABLE webhook_lanes ADD COLUMN has_gap boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE webhook_lanes DROP COLUMN revision_at, DROP COLUMN has_gap;
`;

export class WebhookGaps1763817000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
