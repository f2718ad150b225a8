import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations/migration-list';

/**
 * Required state of the schema when a program starts:
 * - `migrate` updates the schema, and creates it in an empty database;
 * - `create` creates the schema in an empty database, and otherwise acts like `current`;
 * - `current` requires every migration of this release, and also accepts a newer schema, which
 *   exists while the next release rolls out;
 * - `exact` requires exactly the schema of this release, with nothing missing.
 */
export type RequiredSchema = 'migrate' | 'create' | 'current' | 'exact';

/**
 * Thrown when the schema is not in the required state. The message tells the operator what to do.
 */
export class SchemaError extends Error {}

/** Comparison of the migrations applied to a database with those of this release. */
export interface SchemaHistory {
  /** Whether the database has a migration history. */
  readonly exists: boolean;
  /** Migrations of this release that have not been applied, in order. */
  readonly missing: readonly string[];
  /** Applied migrations that this release does not know. */
  readonly unknown: readonly string[];
}

/** Reads the migration history over a separate connection. Changes nothing. */
export async function readSchemaHistory(url: string): Promise<SchemaHistory> {
  return onOwnConnection(url, readHistory);
}

/** Returns whether the database has the extension Citus, which distributes tables over nodes. */
export async function hasCitus(url: string): Promise<boolean> {
  const text = "SELECT FROM pg_extension WHERE extname = 'citus'";
  return onOwnConnection(url, async (client) => (await client.query(text)).rowCount === 1);
}

async function onOwnConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads the migration history. */
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

/**
 * Checks the schema against the required state.
 * @throws SchemaError if there is no schema, or it is not in the required state.
 */
export function requireSchema(
  { exists, missing, unknown }: SchemaHistory,
  demand: RequiredSchema,
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
        `(${unknown.join(', ')}). Use the release that created it, or a newer one.`,
    );
  }
}

const NO_SCHEMA =
  'The database has no schema: it is empty, or a restore failed. ' +
  'Check DATABASE_URL and the output of pg_restore. Run "admin migrate" only for a new installation.';

function countOf(names: readonly string[]): string {
  return names.length === 1 ? '1 migration is' : `${String(names.length)} migrations are`;
}

/** Triggers that notify the instances of revoked keys, changed roles and ended sessions. */
export const TRIGGERS = [
  'accounts_changed',
  'api_keys_changed',
  'sessions_ended',
  'users_changed',
  'workspace_roles_changed',
];

const EXISTING_TRIGGERS = `
  SELECT tgname AS name FROM pg_trigger
  WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgname = ANY ($1)`;

/** Foreign key that `deploy/citus/distribute.sql` drops. */
const DROPPED_ON_CITUS = '"datagrids_workspace_id_fkey"';

/**
 * Checks that every table, column, key, index and trigger of the schema exists. A restore writes
 * the migration history early, so the history alone does not prove that the restore completed.
 * @throws SchemaError naming the first missing definition.
 */
export async function requireCompleteSchema(
  dataSource: DataSource,
  isDistributed: boolean,
): Promise<void> {
  const differences = await readDifferences(dataSource);
  // Additional objects, such as an operator's own index, are not an error.
  const missing = differences.filter(
    (query) => !isRemoval(query) && !(isDistributed && query.includes(DROPPED_ON_CITUS)),
  );
  const existing = await dataSource.query<{ name: string }[]>(EXISTING_TRIGGERS, [TRIGGERS]);
  const names = new Set(existing.map(({ name }) => name));
  missing.push(...TRIGGERS.filter((name) => !names.has(name)).map((name) => `trigger ${name}`));
  if (missing.length === 0) return;
  throw new SchemaError(
    `The schema is incomplete (missing definitions: ${String(missing.length)}, the first: ` +
      `${JSON.stringify(missing[0])}). Restore the backup again, with --exit-on-error.`,
  );
}

/**
 * Returns the statements that would make the schema that of the entities. TypeORM sends several
 * queries at a time on one connection, which `pg` warns of. Here they wait for each other.
 */
async function readDifferences(dataSource: DataSource): Promise<string[]> {
  const create = dataSource.createQueryRunner.bind(dataSource);
  dataSource.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = (...args: unknown[]): Promise<unknown> => {
      const next = last.then(() => query(...args));
      last = next.catch(() => undefined);
      return next;
    };
    return Object.assign(runner, { query: inTurn });
  };
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    dataSource.createQueryRunner = create;
  }
}

function isRemoval(query: string): boolean {
  return /^(DROP|COMMENT)\b|^ALTER TABLE \S+ DROP\b/.test(query);
}
