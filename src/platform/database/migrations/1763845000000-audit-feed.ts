import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds positions in the feed of audit events. The previous release leaves them null, as new events are. */
const UP = `
ALTER TABLE audit_events ADD COLUMN position bigint;
CREATE INDEX audit_events_position ON audit_events (account_id, position, id);
CREATE TABLE audit_positions (
  account_id uuid NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT audit_positions_pkey PRIMARY KEY (account_id)
);
`;

const DOWN = `
DROP TABLE audit_positions;
DROP INDEX audit_events_position;
ALTER TABLE audit_events DROP COLUMN position;
`;

export class AuditFeed1763845000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
