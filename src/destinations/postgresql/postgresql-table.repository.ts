import {
  BLOCK_ROWS,
  type BlockSum,
  type ColumnPlan,
  type CsvLines,
  DestinationError,
  FencedError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
  type UnusedColumn,
} from '../destination';
import { PostgresqlColumns } from './postgresql-columns.repository';
import { columnsSql, namesSql, type RowsSql, rowsSqlOf } from './postgresql-rows-sql';
import {
  literal,
  type PostgresqlSession,
  quoted,
  type TransactionSize,
} from './postgresql-session.repository';
import {
  columnsOf,
  integerOf,
  stateOf,
  STATE_TABLE,
  sumOf,
  tokenOf,
  TYPES,
} from './postgresql-values';

/** Temporary table of the changes of one transaction. */
const STAGE = 'pg_temp._datagrid_stage';
const CSV = String.raw`FROM STDIN (FORMAT csv, NULL '\N')`;

/** Maximum size of the responses that have more than the usual ones. */
const STATE_LIMITS = { rows: 1, bytes: 17 * 1024 * 1024 };
/** Sums of 16 billion ids. */
const SUM_LIMITS = { rows: 1_000_000, bytes: 128 * 1024 * 1024 };
const REVISION_LIMITS = { rows: BLOCK_ROWS + 100, bytes: 2 * 1024 * 1024 };
/** The last claim of a table. */
interface Claim {
  readonly token: number;
}

/** Writes one table of a schema. */
export class PostgresqlWriter implements TargetWriter {
  private readonly target: string;
  private readonly load: string;
  private readonly states: string;
  private readonly rows: RowsSql;
  private readonly columns: PostgresqlColumns;
  private token = 0;

  constructor(
    private readonly session: PostgresqlSession,
    private readonly schema: string,
    private readonly table: TargetTable,
    /** Name of the sessions that write this table. */
    private readonly sessionName: string,
  ) {
    this.target = `${quoted(schema)}.${quoted(table.name)}`;
    this.load = `${quoted(schema)}.${quoted(`_datagrid_load_${table.id.replaceAll('-', '')}`)}`;
    this.states = `${quoted(schema)}.${STATE_TABLE}`;
    this.rows = rowsSqlOf(table, this.target);
    this.columns = new PostgresqlColumns(session, this.target);
  }

  async claim(token: number): Promise<SyncState | null> {
    await createStates(this.session, this.schema);
    let before = await this.findClaim();
    if (!before) {
      // If the row existed, this would wait for a worker that is frozen in a transaction.
      await this.session.run(
        `INSERT INTO ${this.states} (id, table_name, token) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`,
        [this.table.id, this.table.name],
      );
      before = { token: 0 };
    }
    if (before.token >= token) throw new FencedError(before.token);
    // A worker that was frozen in a transaction holds the lock of the row.
    await this.session.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()
        AND state <> 'idle'`,
      [this.sessionName],
    );
    const [state] = await this.session.transaction('part', () =>
      this.session.query(
        `UPDATE ${this.states} SET token = $2, table_name = $3
        WHERE id = $1 AND token < $2 RETURNING state`,
        [this.table.id, token, this.table.name],
        STATE_LIMITS,
      ),
    );
    if (!state) throw await this.fenced();
    this.token = token;
    return stateOf(state['state']);
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.change('part', state, async () => {
      await this.rejectForeignTable();
      await this.session.run(`
        DROP TABLE IF EXISTS ${this.load};
        CREATE TABLE ${this.load} (${this.definition(columns)})`);
    });
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.change('part', state, () =>
      this.session.copy(`COPY ${this.load} (_id, _revision${namesSql(columns)}) ${CSV}`, rows),
    );
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.change('table', state, async () => {
      await this.rejectForeignTable();
      const isFirst = !(await this.exists());
      await this.session.run(this.rows.complete(this.load, isFirst));
      if (!isFirst) await this.takeOver(columns);
      else await this.session.run(`ALTER TABLE ${this.load} RENAME TO ${quoted(this.table.name)}`);
      await this.session.run(`COMMENT ON TABLE ${this.target} IS ${literal(this.comment)}`);
      await this.storeColumns(columns);
    });
    // The planner would otherwise expect an empty table. Autovacuum does the same later.
    await this.session.run(`ANALYZE ${this.target}`).catch(() => undefined);
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.change('part', state, async () => {
      await this.session.run(
        `CREATE TEMP TABLE ${STAGE.replace('pg_temp.', '')}
        (_id bigint, _revision bigint, _deleted boolean${columnsSql(columns)}) ON COMMIT DROP`,
      );
      const names = `_id, _revision, _deleted${namesSql(columns)}`;
      await this.session.copy(`COPY ${STAGE} (${names}) ${CSV}`, rows);
      await this.session.run(this.rows.merge(columns, STAGE));
    });
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    await this.change('part', state, async () => {
      await this.session.run(
        `CREATE TEMP TABLE ${STAGE.replace('pg_temp.', '')}
        (_id bigint PRIMARY KEY, _revision bigint${columnsSql(columns)}) ON COMMIT DROP`,
      );
      await this.session.copy(`COPY ${STAGE} (_id, _revision${namesSql(columns)}) ${CSV}`, rows);
      await this.session.run(this.rows.replace(columns, STAGE, range));
    });
  }

  async changeColumns({ removed, widened, added }: ColumnPlan, state: SyncState): Promise<void> {
    await this.change('table', state, async () => {
      // In one statement, the columns that are removed would still have their names.
      await this.columns.remove(removed.map(({ name }) => name));
      for (const column of widened) await this.columns.widen(column);
      await this.columns.add(added);
      const before = await this.findColumns();
      const gone = new Set([...removed, ...widened].map(({ name }) => name));
      const kept = before.filter(({ name }) => !gone.has(name));
      await this.storeColumns([...kept, ...widened, ...added]);
    });
  }

  dropUnused(): Promise<readonly UnusedColumn[]> {
    return this.columns.dropUnused();
  }

  async exists(): Promise<boolean> {
    return (await this.findAccess()) === 'own';
  }

  async sumBlocks(): Promise<BlockSum[]> {
    const rows = await this.session.transaction('table', () =>
      this.session.query(
        `SELECT _id / ${String(BLOCK_ROWS)} AS block, count(*)::text AS rows, sum(_id)::text AS ids,
          sum(_revision)::text AS revisions
        FROM ${this.target} WHERE ${this.rows.isPresent}
        GROUP BY 1 ORDER BY 1`,
        [],
        SUM_LIMITS,
      ),
    );
    return rows.map((row) => ({
      block: integerOf(row['block']),
      rows: integerOf(row['rows']),
      ids: sumOf(row['ids']),
      revisions: sumOf(row['revisions']),
    }));
  }

  async readRevisions({ from, to }: IdRange): Promise<RowRevision[]> {
    const rows = await this.session.transaction('part', () =>
      this.session.query(
        `SELECT _id::text AS id, _revision::text AS revision FROM ${this.target}
        WHERE _id BETWEEN ${String(from)} AND ${String(to)}
          AND ${this.rows.isPresent}`,
        [],
        REVISION_LIMITS,
      ),
    );
    return rows.map((row) => ({
      id: integerOf(row['id']),
      revision: integerOf(row['revision']),
    }));
  }

  async drop(): Promise<void> {
    await this.change('table', null, async () => {
      await this.session.run(`DROP TABLE IF EXISTS ${this.load}`);
      if (await this.exists()) await this.session.run(`DROP TABLE ${this.target}`);
      await this.session.run(`DELETE FROM ${this.states} WHERE id = $1`, [this.table.id]);
    });
  }

  close(): Promise<void> {
    this.session.close();
    return Promise.resolve();
  }

  private get comment(): string {
    return `Kept in sync by a connection of the datagrid platform. Table ${this.table.id}.`;
  }

  private definition(columns: readonly TargetColumn[]): string {
    const { column } = this.rows;
    const own = column === null ? '' : `, ${column} timestamptz`;
    return `_id bigint NOT NULL, _revision bigint NOT NULL,
      _synced_at timestamptz NOT NULL DEFAULT now()${own}${columnsSql(columns)}`;
  }

  /** Runs `work` and stores the state in one transaction, if the claim is still valid. */
  private async change(
    size: TransactionSize,
    state: SyncState | null,
    work: () => Promise<void>,
  ): Promise<void> {
    await this.session.transaction(size, async () => {
      const count = await this.session.run(
        `UPDATE ${this.states} SET state = coalesce($3, state), updated_at = now()
        WHERE id = $1 AND token = $2`,
        [this.table.id, this.token, state],
      );
      if (count !== 1) throw await this.fenced();
      await work();
    });
  }

  /** Makes the rows and columns of the target table those of the load. Views and rights stay. */
  private async takeOver(columns: readonly TargetColumn[]): Promise<void> {
    const { column: ownColumn } = this.rows;
    const before = await this.findColumns();
    // Somebody may have changed the table.
    const present = await this.columns.findTypes();
    const added = columns.filter(
      ({ id, name, type }) =>
        present.get(name) !== TYPES[type] ||
        // Marked rows and earlier versions keep their values.
        (ownColumn !== null && before.some((column) => column.name === name && column.id !== id)),
    );
    const isGone = (name: string): boolean =>
      added.some((column) => column.name === name) ||
      !columns.some((column) => column.name === name);
    const own = new Set([...before, ...added].map(({ name }) => name));
    await this.columns.remove([...own].filter((name) => isGone(name) && present.has(name)));
    await this.columns.add(added);
    if (ownColumn !== null && !present.has(ownColumn)) {
      await this.session.run(this.rows.addColumn(ownColumn));
    }
    await this.session.run(`
      ${this.rows.takeOver(columns, this.load, added)};
      DROP TABLE ${this.load}`);
  }

  /** Returns whether there is a target table, and whether a load of this table has created it. */
  private async findAccess(): Promise<'none' | 'own' | 'foreign'> {
    const [found] = await this.session.query(
      'SELECT obj_description(c.oid) AS comment FROM pg_class c WHERE c.oid = to_regclass($1)',
      [this.target],
    );
    if (!found) return 'none';
    return found['comment']?.includes(this.table.id) === true ? 'own' : 'foreign';
  }

  private async rejectForeignTable(): Promise<void> {
    if ((await this.findAccess()) !== 'foreign') return;
    throw new DestinationError(
      'configuration',
      `The table "${this.table.name}" exists already, and this connection did not create it. Rename or drop it, or choose another name.`,
    );
  }

  private async findClaim(): Promise<Claim | null> {
    const [found] = await this.session.query(`SELECT token FROM ${this.states} WHERE id = $1`, [
      this.table.id,
    ]);
    return found ? { token: tokenOf(found['token']) } : null;
  }

  private async fenced(): Promise<FencedError> {
    return new FencedError((await this.findClaim())?.token ?? 0);
  }

  private async findColumns(): Promise<readonly TargetColumn[]> {
    const rows = await this.session.query(`SELECT columns FROM ${this.states} WHERE id = $1`, [
      this.table.id,
    ]);
    return columnsOf(rows[0]?.['columns'] ?? '[]');
  }

  private async storeColumns(columns: readonly TargetColumn[]): Promise<void> {
    await this.session.run(`UPDATE ${this.states} SET columns = $2 WHERE id = $1`, [
      this.table.id,
      JSON.stringify(columns),
    ]);
  }
}

/** Creates the schema and its table of states, if they do not exist. */
export async function createStates(session: PostgresqlSession, schema: string): Promise<void> {
  const states = `${quoted(schema)}.${STATE_TABLE}`;
  const rows = await session.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [states]);
  if (rows.length > 0) return;
  const schemas = await session.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  const create = async (): Promise<void> => {
    // Without the right to create schemas, `IF NOT EXISTS` fails even if the schema exists.
    if (schemas.length === 0) await session.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
    await session.run(`
      CREATE TABLE IF NOT EXISTS ${states} (
        id uuid PRIMARY KEY,
        table_name text NOT NULL,
        token bigint NOT NULL,
        state text,
        columns jsonb,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  };
  // Another session that creates them at the same time makes the first try fail.
  await create().catch(create);
}
