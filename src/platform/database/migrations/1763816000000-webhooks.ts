import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the tables of webhooks. They reference their workspace with ON DELETE CASCADE, so that the
 * previous release can still purge workspaces. Lanes are updated with each delivery: no index
 * contains the columns that change, and pages keep room for the next version of a row.
 */
const UP = `
CREATE TABLE webhooks (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  events text[] NOT NULL,
  datagrid_ids uuid[],
  payload text NOT NULL DEFAULT 'full',
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  last_success_at timestamptz(3),
  last_error_at timestamptz(3),
  last_error text,
  consecutive_failures integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
    ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX webhooks_workspace ON webhooks (workspace_id, id);
CREATE INDEX webhooks_account ON webhooks (account_id);

CREATE TABLE webhook_lanes (
  webhook_id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  revision bigint NOT NULL,
  part integer,
  last_event bigint NOT NULL DEFAULT 0,
  last_delivered bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
  token integer NOT NULL DEFAULT 0,
  leased_until timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_lanes_pkey PRIMARY KEY (webhook_id, datagrid_id),
  CONSTRAINT webhook_lanes_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX webhook_lanes_datagrid ON webhook_lanes (datagrid_id);

CREATE TABLE webhook_events (
  webhook_id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  sequence bigint NOT NULL,
  message_id text NOT NULL,
  type text NOT NULL,
  from_revision bigint NOT NULL,
  revision bigint NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  body text NOT NULL,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (webhook_id, datagrid_id, sequence),
  CONSTRAINT webhook_events_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE
);

CREATE TABLE webhook_attempts (
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  message_id text NOT NULL,
  type text NOT NULL,
  datagrid_id uuid,
  revision bigint,
  attempt integer NOT NULL,
  at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text,
  request text NOT NULL,
  response text NOT NULL,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (webhook_id, id),
  CONSTRAINT webhook_attempts_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE
);
CREATE INDEX webhook_attempts_at ON webhook_attempts (at);
`;

const DOWN = `
DROP TABLE webhook_attempts, webhook_events, webhook_lanes, webhooks;
`;

export class Webhooks1763816000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
