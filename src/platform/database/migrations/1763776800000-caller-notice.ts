import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notifies all listening processes of every change of a caller's key, user or account, including
 * changes by other programs. The time of a key's last use does not count.
 */
const UP = `
CREATE FUNCTION notify_caller_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller_changed', '');
  RETURN NULL;
END $$;

CREATE TRIGGER api_keys_changed
  AFTER UPDATE OF hash, user_id, expires_at, revoked_at OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
CREATE TRIGGER users_changed
  AFTER UPDATE OF account_id, role, suspended OR DELETE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
CREATE TRIGGER accounts_changed
  AFTER UPDATE OF suspended OR DELETE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
`;

const DOWN = `
DROP TRIGGER api_keys_changed ON api_keys;
DROP TRIGGER users_changed ON users;
DROP TRIGGER accounts_changed ON accounts;
DROP FUNCTION notify_caller_changed();
`;

export class CallerNotice1763776800000 implements MigrationInterface {
  name = 'CallerNotice1763776800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
