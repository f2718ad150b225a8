import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the grants of an application, to know how long its registration is needed. A host with a metadata document
 * proves nothing about the name of an application, so its column is not called verified.
 *
 * A notification of a changed key names it, so that processes forget only its caller: applications change theirs
 * whenever they refresh. The previous release takes every notification for a change of anything.
 */
const UP = `
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
ALTER TABLE oauth_grants RENAME COLUMN verified_host TO document_host;

CREATE FUNCTION notify_key_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller_changed', OLD.id::text);
  RETURN NULL;
END $$;
DROP TRIGGER api_keys_changed ON api_keys;
CREATE TRIGGER api_keys_changed
  AFTER UPDATE OF hash, user_id, expires_at, revoked_at, scopes, workspace_ids, datagrid_ids
    OR DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION notify_key_changed();
`;

const DOWN = `
DROP INDEX oauth_grants_client;
ALTER TABLE oauth_grants RENAME COLUMN document_host TO verified_host;
DROP TRIGGER api_keys_changed ON api_keys;
CREATE TRIGGER api_keys_changed
  AFTER UPDATE OF hash, user_id, expires_at, revoked_at, scopes, workspace_ids, datagrid_ids
    OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
DROP FUNCTION notify_key_changed();
`;

export class OauthClients1763854000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
