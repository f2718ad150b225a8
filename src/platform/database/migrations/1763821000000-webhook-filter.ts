import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds filters of webhooks. The previous release ignores them, and sends all rows. */
const UP = `
ALTER TABLE webhooks ADD COLUMN filter text;
`;

const DOWN = `
ALTER TABLE webhooks DROP COLUMN filter;
`;

export class WebhookFilter1763821000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
