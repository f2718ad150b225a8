import { type Client, escapeLiteral, TypeOverrides, types } from 'pg';
import type { Statement } from './text-query';

/** Session settings, keyed by PostgreSQL's parameter names. */
export type SessionSettings = Readonly<Record<string, string>>;

/** Returns the settings as the `options` startup parameter of a connection. */
export function startupOptions(settings: SessionSettings): string {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return options.join(' ');
}

/**
 * Returns the settings as statements for the start of a transaction, which affect only that
 * transaction.
 */
export function localSettings(settings: SessionSettings): string {
  const statements = Object.entries(settings).map(
    ([name, value]) => `SET LOCAL ${name} = ${value};`,
  );
  return statements.join(' ');
}

/** No timeouts, for sessions that no pooler shares. */
export const NO_TIMEOUTS: SessionSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/**
 * Returns an ALTER ROLE statement for each setting that differs. ALTER ROLE locks the role's settings,
 * so unchanged settings are skipped to keep instances from waiting for each other.
 */
const ALTER_ROLE_STATEMENTS = `
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
 * Stores the settings with the role, so that its sessions in this database start with them. A
 * pooler rejects `options`, and shares sessions between clients. Connections that send `options`
 * are not affected.
 */
export async function storeSettingsForRole(
  client: Client,
  settings: SessionSettings,
): Promise<void> {
  const values = [Object.keys(settings), Object.values(settings)];
  const { rows } = await client.query<{ text: string }>(ALTER_ROLE_STATEMENTS, values);
  for (const { text } of rows) await client.query(text);
}

/**
 * Returns a value as an SQL literal, for statements that take no parameters (`COPY`). The literal
 * does not depend on `standard_conforming_strings`.
 * @param type SQL type of the value. A type that ends with `[]` denotes an array.
 * @throws Error if the value contains NUL, which PostgreSQL would read as the end of the statement.
 */
export function sqlLiteral(value: unknown, type: string): string {
  const text = Array.isArray(value) ? `ARRAY[${value.map(quoted).join(',')}]` : quoted(value);
  return `${text}::${type}`;
}

function quoted(value: unknown): string {
  const text = String(value);
  if (text.includes('\0')) throw new Error('NUL cannot stand in a statement.');
  return escapeLiteral(text);
}

/**
 * Parses `bigint` as a number: counters and ids always stay below 2^53. (Numbers in users' rows are
 * not affected, because rows are stored as `jsonb`.)
 */
export const typeParsers = new TypeOverrides();
typeParsers.setTypeParser(types.builtins.INT8, Number);

/** URL of PostgreSQL itself, bypassing any pooler, for connections outside the pools. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}

/** Cheapest possible query, to check that PostgreSQL responds. */
export const PROBE: Statement = { name: 'health-probe', text: 'SELECT 1 AS one' };
