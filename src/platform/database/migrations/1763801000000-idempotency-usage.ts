import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the counters. Existing responses are not counted, because they expire within a day. */
const UP = `
CREATE TABLE idempotency_usage (
  account_id uuid NOT NULL,
  hour timestamptz(0) NOT NULL,
  slot smallint NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT idempotency_usage_pkey PRIMARY KEY (account_id, hour, slot)
);
CREATE INDEX idempotency_usage_hour ON idempotency_usage (hour);
`;

export class IdempotencyUsage1763801000000 implements MigrationInterface {
  name = 'IdempotencyUsage1763801000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_usage');
  }
}
