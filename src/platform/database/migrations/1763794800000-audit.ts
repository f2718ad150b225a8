import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE audit_events (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  action text NOT NULL,
  via text NOT NULL,
  user_id uuid,
  key_id uuid,
  target_kind text NOT NULL,
  target_id uuid NOT NULL,
  target_name text,
  details jsonb NOT NULL DEFAULT '{}',
  address text,
  CONSTRAINT audit_events_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_events_at ON audit_events (at);
`;

export class Audit1763794800000 implements MigrationInterface {
  name = 'Audit1763794800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_events');
  }
}
