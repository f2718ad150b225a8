import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  user_id uuid NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status smallint NOT NULL,
  body text,
  headers jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, user_id, key)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
`;

export class Idempotency1763690400000 implements MigrationInterface {
  name = 'Idempotency1763690400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
