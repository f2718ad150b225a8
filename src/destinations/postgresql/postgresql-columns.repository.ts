import {
  DestinationError,
  type TargetColumn,
  type TargetType,
  type UnusedColumn,
} from '../destination';
import { literal, type PostgresqlSession, quoted } from './postgresql-session.repository';
import { TYPES } from './postgresql-values';

/** Beginning of the names of columns that only objects of others keep. No key of a column begins so. */
const UNUSED = '_datagrid_unused_';
/** Maximum length of a name, in bytes. */
const MAX_NAME_LENGTH = 63;
/** Readers wait no longer for a column that can be dropped another time. */
const DROP_LOCK_TIMEOUT_MS = 1_000;

/** Codes of failures because an object, such as a view, depends on a column that is dropped or retyped. */
const DEPENDENT_OBJECTS = ['2BP01', '0A000'];

/** Prints a value as the text that a sync would write. */
const asText = (column: string): string =>
  `CASE pg_typeof(${column})::text
    WHEN 'timestamp with time zone' THEN to_char((${column}::text)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    ELSE ${column}::text END`;

/**
 * The columns of a target table. A column on which objects of others depend, such as views, cannot be
 * dropped or retyped. It is renamed instead: these objects go on to show the values that it had, and it is
 * dropped once they are gone.
 */
export class PostgresqlColumns {
  /** @param target Quoted name of the table. */
  constructor(
    private readonly session: PostgresqlSession,
    private readonly target: string,
  ) {}

  /** Returns the types of the columns of the table by name. */
  async findTypes(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.session.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
      [this.target],
    );
    return new Map(rows.map((row) => [row['name'] ?? '', row['type'] ?? '']));
  }

  /** Drops or renames columns, in the transaction of a change. Those that are missing stay so. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const isDropped = await this.try(`DROP COLUMN IF EXISTS ${quoted(name)}`);
      if (!isDropped) await this.putAside(name);
    }
  }

  /** Makes the type of a column wider and keeps its values, in the transaction of a change. */
  async widen({ name, type }: TargetColumn): Promise<void> {
    const valueOf = (column: string): string =>
      type === 'text' ? asText(column) : `${column}::${TYPES[type]}`;
    const column = quoted(name);
    const isWidened = await this.try(
      `ALTER COLUMN ${column} TYPE ${TYPES[type]} USING ${valueOf(column)}`,
    );
    if (isWidened) return;
    const former = await this.putAside(name);
    await this.alter(`ADD COLUMN ${column} ${TYPES[type]}`);
    await this.session.run(`UPDATE ${this.target} SET ${column} = ${valueOf(quoted(former))}`);
  }

  /** Adds columns without values, in the transaction of a change. */
  async add(columns: readonly TargetColumn[]): Promise<void> {
    for (const { name, type } of columns) {
      await this.alter(`ADD COLUMN ${quoted(name)} ${TYPES[type]}`);
    }
  }

  /** Drops the columns that were put aside and on which nothing depends anymore. @returns the others. */
  async dropUnused(): Promise<readonly UnusedColumn[]> {
    const unused = await this.findUnused();
    const kept: UnusedColumn[] = [];
    for (const { isUsed, ...column } of unused) {
      if (isUsed || !(await this.dropOne(column.name))) kept.push(column);
    }
    return kept;
  }

  /** Drops a column in a transaction of its own. @returns whether that was possible now. */
  private async dropOne(name: string): Promise<boolean> {
    try {
      await this.session.transaction('part', async () => {
        await this.session.run(`SET LOCAL lock_timeout = ${String(DROP_LOCK_TIMEOUT_MS)}`);
        await this.alter(`DROP COLUMN IF EXISTS ${quoted(name)}`);
      });
      return true;
    } catch (error) {
      // Another session reads the table, or an object depends on the column that the catalog does not show.
      if (error instanceof DestinationError) return false;
      throw error;
    }
  }

  /** @returns the columns that were put aside, and whether an object depends on each. */
  private async findUnused(): Promise<readonly (UnusedColumn & { readonly isUsed: boolean })[]> {
    const rows = await this.session.query(
      `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
        EXISTS (
          SELECT FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.deptype = 'n'
            AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
        )::text AS used
      FROM pg_attribute a
      WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
        AND starts_with(a.attname, ${literal(UNUSED)})
      ORDER BY a.attnum`,
      [this.target],
    );
    return rows.map((row) => ({
      name: row['name'] ?? '',
      type: typeNamed(row['type'] ?? ''),
      isUsed: row['used'] === 'true',
    }));
  }

  /** Gives a column a name that no column of the datagrid has. @returns the name. */
  private async putAside(name: string): Promise<string> {
    const types = await this.findTypes();
    let number = 1;
    const aside = (): string => `${UNUSED}${String(number)}_${name}`.slice(0, MAX_NAME_LENGTH);
    while (types.has(aside())) number += 1;
    await this.alter(`RENAME COLUMN ${quoted(name)} TO ${quoted(aside())}`);
    return aside();
  }

  /** Changes the table, unless objects of others depend on it. @returns whether it was changed. */
  private async try(change: string): Promise<boolean> {
    await this.session.run('SAVEPOINT _datagrid_columns');
    try {
      await this.alter(change);
    } catch (error) {
      if (!isDependent(error)) throw error;
      await this.session.run('ROLLBACK TO SAVEPOINT _datagrid_columns');
      return false;
    }
    await this.session.run('RELEASE SAVEPOINT _datagrid_columns');
    return true;
  }

  private async alter(change: string): Promise<void> {
    await this.session.run(`ALTER TABLE ${this.target} ${change}`);
  }
}

function isDependent(error: unknown): boolean {
  const cause = error instanceof DestinationError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && DEPENDENT_OBJECTS.includes(code);
}

function typeNamed(name: string): TargetType {
  const found = Object.entries(TYPES).find(([, type]) => type === name);
  return (found?.[0] as TargetType | undefined) ?? 'text';
}
