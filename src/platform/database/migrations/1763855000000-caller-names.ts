import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notifies all listening processes of ended sessions, and names the user or account that has changed, so that processes
 * check the streams of these only. The previous release takes every notification for a change of anything.
 */
const UP = `
CREATE FUNCTION notify_named_caller_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(
    'caller_changed', TG_ARGV[0] || ':' || (to_jsonb(coalesce(OLD, NEW)) ->> TG_ARGV[1])
  );
  RETURN NULL;
END $$;

DROP TRIGGER users_changed ON users;
CREATE TRIGGER users_changed
  AFTER UPDATE OF account_id, role, suspended OR DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION notify_named_caller_changed('user', 'id');
DROP TRIGGER workspace_roles_changed ON workspace_roles;
CREATE TRIGGER workspace_roles_changed
  AFTER INSERT OR UPDATE OR DELETE ON workspace_roles
  FOR EACH ROW EXECUTE FUNCTION notify_named_caller_changed('user', 'user_id');
DROP TRIGGER accounts_changed ON accounts;
CREATE TRIGGER accounts_changed
  AFTER UPDATE OF suspended, requires_second_factor, exempt_user_id OR DELETE ON accounts
  FOR EACH ROW EXECUTE FUNCTION notify_named_caller_changed('account', 'id');
CREATE TRIGGER sessions_ended
  AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION notify_named_caller_changed('session', 'id');
`;

const DOWN = `
DROP TRIGGER sessions_ended ON sessions;
DROP TRIGGER accounts_changed ON accounts;
CREATE TRIGGER accounts_changed
  AFTER UPDATE OF suspended OR DELETE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
DROP TRIGGER workspace_roles_changed ON workspace_roles;
CREATE TRIGGER workspace_roles_changed
  AFTER INSERT OR UPDATE OR DELETE ON workspace_roles
  FOR EACH ROW EXECUTE FUNCTION notify_caller_changed();
DROP TRIGGER users_changed ON users;
CREATE TRIGGER users_changed
  AFTER UPDATE OF account_id, role, suspended OR DELETE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION notify_caller_changed();
DROP FUNCTION notify_named_caller_changed();
`;

export class CallerNames1763855000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
