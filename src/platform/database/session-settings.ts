import type { Client } from 'pg';

/** What a session is set to, by PostgreSQL's names. */
export type SessionSettings = Readonly<Record<string, string>>;

/** As the `options` that a connection begins with. */
export function startupOptions(settings: SessionSettings): string {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return options.join(' ');
}

/** As what a transaction begins with, for itself alone. */
export function localSettings(settings: SessionSettings): string {
  const statements = Object.entries(settings).map(
    ([name, value]) => `SET LOCAL ${name} = ${value};`,
  );
  return statements.join(' ');
}

/** Whoever owns a session that no pooler hands on may take their time. */
export const UNHURRIED: SessionSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** What is not so yet, as statements: those that write it anew would wait for each other. */
const CHANGES = `
  SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I TO %L',
    current_database(), s.name, s.value) AS text
  FROM unnest($1::text[], $2::text[]) AS s (name, value)
  WHERE NOT EXISTS (
    SELECT FROM pg_db_role_setting r
    WHERE r.setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
      AND r.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND s.name || '=' || s.value = ANY (r.setconfig)
  )`;

/**
 * Makes them what the role's sessions in this database begin with: a pooler refuses `options`, and
 * hands a session from one to another. Connections that bring `options` are not touched by it.
 */
export async function keepForRole(client: Client, settings: SessionSettings): Promise<void> {
  const values = [Object.keys(settings), Object.values(settings)];
  const { rows } = await client.query<{ text: string }>(CHANGES, values);
  for (const { text } of rows) await client.query(text);
}
