import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations/migration-list';

/**
 * What a program asks of the schema before it works:
 * - `migrate` brings it up to date, and makes one in an empty database;
 * - `create` makes one in an empty database, and is like `current` otherwise;
 * - `current` needs every migration of this release, and takes a newer schema as well, which is
 *   there while the next release rolls out;
 * - `exact` needs the schema of this very release, with nothing missing of it.
 */
export type SchemaDemand = 'migrate' | 'create' | 'current' | 'exact';

/** The schema is not the one that is needed. The message says what to do. */
export class SchemaError extends Error {}

/** How the migrations that a database has seen compare with those of this release. */
export interface SchemaHistory {
  /** Whether the database has a history of migrations at all. */
  readonly exists: boolean;
  /** Migrations of this release that were not run there, in order. */
  readonly missing: readonly string[];
  /** Migrations that were run there and that this release does not know. */
  readonly unknown: readonly string[];
}

/** Reads which migrations were run, over a connection of its own. Changes nothing. */
export async function readSchemaHistory(url: string): Promise<SchemaHistory> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await readHistory(client);
  } finally {
    await client.end();
  }
}

/** Reads which migrations were run. */
export async function readHistory(client: Client): Promise<SchemaHistory> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
  );
  const exists = rows[0]?.exists ?? false;
  const applied = exists ? await readApplied(client) : [];
  const known = MIGRATIONS.map(({ name }) => name);
  return {
    exists,
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

async function readApplied(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM schema_migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

/** @throws SchemaError where there is no schema, or it is not what is demanded. */
export function requireSchema(
  { exists, missing, unknown }: SchemaHistory,
  demand: SchemaDemand,
): void {
  if (!exists) throw new SchemaError(NO_SCHEMA);
  if (missing.length > 0) {
    throw new SchemaError(
      `The schema is older than this release: ${countOf(missing)} missing ` +
        `(${missing.join(', ')}). Run "admin migrate" first.`,
    );
  }
  if (demand === 'exact' && unknown.length > 0) {
    throw new SchemaError(
      `The schema is newer than this release: ${countOf(unknown)} unknown ` +
        `(${unknown.join(', ')}). Use the release that made it, or a newer one.`,
    );
  }
}

const NO_SCHEMA =
  'The database has no schema: it is empty, or a restore has failed. ' +
  'Check DATABASE_URL and the output of pg_restore. Run "admin migrate" only to begin a new installation.';

function countOf(names: readonly string[]): string {
  return names.length === 1 ? '1 migration is' : `${String(names.length)} migrations are`;
}

/** They tell the instances of revoked keys and changed roles. */
export const TRIGGERS = ['accounts_changed', 'api_keys_changed', 'users_changed'];

const TRIGGERS_THERE = `
  SELECT tgname AS name FROM pg_trigger
  WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgname = ANY ($1)`;

/**
 * Checks that every table, column, key, index and trigger of the schema is there: a history of
 * migrations comes back from a backup early, and the rest only if the restore went to its end.
 * @throws SchemaError naming the first that is missing.
 */
export async function requireCompleteSchema(dataSource: DataSource): Promise<void> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  // What is there beside the schema, such as an index of the operator's own, is nobody's fault.
  const missing = upQueries.map(({ query }) => query).filter((query) => !isRemoval(query));
  const there = await dataSource.query<{ name: string }[]>(TRIGGERS_THERE, [TRIGGERS]);
  const names = new Set(there.map(({ name }) => name));
  missing.push(...TRIGGERS.filter((name) => !names.has(name)).map((name) => `trigger ${name}`));
  if (missing.length === 0) return;
  throw new SchemaError(
    `The schema is incomplete (missing definitions: ${String(missing.length)}, the first: ` +
      `${JSON.stringify(missing[0])}). Restore the backup again, with --exit-on-error.`,
  );
}

function isRemoval(query: string): boolean {
  return /^(DROP|COMMENT)\b|^ALTER TABLE \S+ DROP\b/.test(query);
}
