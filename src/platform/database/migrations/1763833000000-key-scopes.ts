import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Scopes and limits of keys, roles in single workspaces, and service accounts. Without a value, a
 * key or a user has the same access as before. The previous release ignores all of them. The trigger
 * of `workspace_roles` runs for each row, so that a statement that changes none notifies nobody.
 */
const UP = `
ALTER TABLE api_keys
  ADD COLUMN scopes text[],
  ADD COLUMN workspace_ids uuid[],
  ADD COLUMN datagrid_ids uuid[];

ALTER TABLE users ADD COLUMN is_service boolean NOT NULL DEFAULT false;

CREATE TABLE workspace_roles (
  user_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  role text NOT NULL,
  CONSTRAINT workspace_roles_pkey PRIMARY KEY (user_id, workspace_id),
  CONSTRAINT workspace_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX workspace_roles_workspace ON workspace_roles (workspace_id);
CREATE TRIGGER workspace_roles_changed
  AFTER INSERT OR UPDATE OR DELETE ON workspace_roles
  FOR EACH ROW EXECUTE FUNCTION notify_caller_changed();

DROP TRIGGER api_keys_changed ON api_keys;
CREATE TRIGGER api_keys_changed
  AFTER UPDATE OF hash, user_id, expires_at, revoked_at, scopes, workspace_ids, datagrid_ids
    OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
`;

const DOWN = `
-- A key must not get more access than it was created with.
UPDATE api_keys SET revoked_at = now()
WHERE revoked_at IS NULL
  AND (scopes IS NOT NULL OR workspace_ids IS NOT NULL OR datagrid_ids IS NOT NULL);
DROP TRIGGER api_keys_changed ON api_keys;
CREATE TRIGGER api_keys_changed
  AFTER UPDATE OF hash, user_id, expires_at, revoked_at OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
DROP TABLE workspace_roles;
ALTER TABLE users DROP COLUMN is_service;
ALTER TABLE api_keys
  DROP COLUMN scopes,
  DROP COLUMN workspace_ids,
  DROP COLUMN datagrid_ids;
`;

export class KeyScopes1763833000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
