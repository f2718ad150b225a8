import {
  BLOCK_ROWS,
  type BlockSum,
  type ColumnPlan,
  type CsvLines,
  type DeletionMode,
  DestinationError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import { columnsOf, findObject, isViewOf, listTables } from './snowflake-catalog.repository';
import { integerOf, integerTextOf } from '../stored-integer';
import { codeOf, notSnowflake, tableMissing } from './snowflake-error';
import { type LineKind, listsOf, valuesSql } from './snowflake-lines';
import {
  isPresentSql,
  keepSql,
  mergeSql,
  MODE_COLUMNS,
  replaceSql,
  type StagedLines,
  tableSql,
} from './snowflake-rows-sql';
import type { SnowflakeSession } from './snowflake-session.repository';
import {
  convertedSql,
  DATA_TYPES,
  definitionsSql,
  nameOf,
  namesSql,
  quoted,
  timeSql,
} from './snowflake-sql';
import { SnowflakeStates, type StoredTable } from './snowflake-states.repository';

/** Temporary table of the lines of one change. */
const STAGE = quoted('_datagrid_stage');
/** Name of a column while it gets another type. */
const FORMER = quoted('_datagrid_former');
/** Beginning of the year 10000, in milliseconds since 1970. */
const MAX_TIME = Date.UTC(10_000, 0);
/** Limit of the sums of 2^32 ids. */
const BLOCK_SUMS = { columns: 4, rows: 2 ** 18, bytes: 2 ** 18 * 64 } as const;
/** Limit of the ids and revisions of a block. */
const REVISIONS = { columns: 2, rows: BLOCK_ROWS + 1_000, bytes: 1024 * 1024 } as const;

/**
 * Writes one table of a schema. Readers see a view. The rows are in a table whose name has the token
 * of the claim that created it, and which table that is, is part of the state. So a change of tables,
 * which Snowflake commits by itself, changes nothing that counts until the state does.
 */
export class SnowflakeWriter implements TargetWriter {
  private readonly view: string;
  private readonly states: SnowflakeStates;
  /** What the names of tables with rows begin with. */
  private readonly prefix: string;
  private created = 0;

  constructor(
    private readonly session: SnowflakeSession,
    private readonly table: TargetTable,
  ) {
    this.view = quoted(table.name);
    this.states = new SnowflakeStates(session, table);
    this.prefix = nameOf(`_datagrid_${table.id.replaceAll('-', '')}_`);
  }

  async claim(token: number): Promise<SyncState | null> {
    const stored = await this.states.claim(token);
    const { data, columns, load } = stored;
    if (data === null || data === stored.viewOf) {
      await this.removeOthers(stored);
      return stored.state;
    }
    try {
      await this.publish(data, columns, load);
    } catch (error) {
      // Somebody has dropped the table. It is loaded again.
      if (!isMissing(error)) throw error;
    }
    return stored.state;
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    this.session.limit('part');
    const stored = await this.states.current();
    await this.rejectForeign();
    const load = this.newName();
    await this.session.run(
      `CREATE TRANSIENT TABLE ${quoted(load)} (${tableSql(this.mode, columns)})`,
    );
    await this.states.store({ state, load });
    await this.removeOthers({ ...stored, load });
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    this.session.limit('part');
    const { load } = await this.states.current();
    if (load === null) throw tableMissing();
    await this.states.store({ state }, async () => {
      const names = `"_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT"`;
      const time = `, ${await this.now()}`;
      await this.insert(quoted(load), names, 'rows', columns, rows, time);
    });
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    this.session.limit('table');
    const stored = await this.states.current();
    const { load, data } = stored;
    if (load === null) throw tableMissing();
    await columnsOf(this.session, load);
    await this.rejectForeign();
    const change = { state, data: load, columns, load: null } as const;
    await this.states.store(change, async () => {
      const { mode } = this;
      if (data === null || mode === 'delete') return;
      const names = await columnsOf(this.session, data).catch(() => null);
      if (!names) return;
      const tables = { target: quoted(data), load: quoted(load), columns, former: stored.columns };
      await this.runAll(keepSql(mode, { ...tables, names, now: await this.now() }));
    });
    await this.publish(load, columns, null);
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.changeByLines('changes', columns, rows, state, (lines) =>
      mergeSql(this.mode, lines),
    );
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines('rows', columns, rows, state, (lines) =>
      replaceSql(this.mode, lines, range),
    );
  }

  async changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    this.session.limit('table');
    const { removed, widened, added } = plan;
    const stored = await this.states.current();
    const data = await this.requireTarget(stored);
    const copy = this.newName();
    const name = quoted(copy);
    await this.session.run(`CREATE TRANSIENT TABLE ${name} CLONE ${quoted(data)}`);
    const alter = (change: string): Promise<number> =>
      this.session.run(`ALTER TABLE ${name} ${change}`);
    for (const column of removed) await alter(`DROP COLUMN ${quoted(column.name)}`);
    for (const column of widened) {
      const from = stored.columns.find(({ id }) => id === column.id)?.type ?? column.type;
      const type = DATA_TYPES[column.type];
      if (DATA_TYPES[from] === type) continue;
      await alter(`RENAME COLUMN ${quoted(column.name)} TO ${FORMER}`);
      await alter(`ADD COLUMN ${quoted(column.name)} ${type}`);
      await this.session.run(
        `UPDATE ${name} SET ${quoted(column.name)} = ${convertedSql(FORMER, from, column.type)}`,
      );
      await alter(`DROP COLUMN ${FORMER}`);
    }
    for (const column of added) {
      await alter(`ADD COLUMN ${quoted(column.name)} ${DATA_TYPES[column.type]}`);
    }
    const gone = new Set([...removed, ...widened].map(({ id }) => id));
    const kept = stored.columns.filter(({ id }) => !gone.has(id));
    const columns = [...kept, ...widened, ...added];
    await this.states.store({ state, data: copy, columns });
    await this.publish(copy, columns, stored.load);
  }

  async exists(): Promise<boolean> {
    const stored = await this.states.current();
    try {
      await this.requireTarget(stored);
      return true;
    } catch (error) {
      if (error instanceof DestinationError && error.kind === 'inconsistent') return false;
      throw error;
    }
  }

  async sumBlocks(): Promise<BlockSum[]> {
    this.session.limit('table');
    const block = `(("_ID" - MOD("_ID", ${String(BLOCK_ROWS)})) / ${String(BLOCK_ROWS)})`;
    const sum = (name: string): string => `TO_VARCHAR(SUM("${name}"::NUMBER(38, 0)))`;
    const rows = await this.session.query(
      `SELECT TO_VARCHAR(${block}::NUMBER(38, 0)), TO_VARCHAR(COUNT(*)), ${sum('_ID')},
         ${sum('_REVISION')}
       FROM ${this.view} WHERE ${isPresentSql(this.mode)}
       GROUP BY ${block} ORDER BY ${block}`,
      [],
      BLOCK_SUMS,
    );
    return rows.map(([number, count, ids, revisions]) => ({
      block: integerOf(number),
      rows: integerOf(count),
      ids: integerTextOf(ids),
      revisions: integerTextOf(revisions),
    }));
  }

  async readRevisions({ from, to }: IdRange): Promise<RowRevision[]> {
    this.session.limit('part');
    const rows = await this.session.query(
      `SELECT TO_VARCHAR("_ID"), TO_VARCHAR("_REVISION") FROM ${this.view}
       WHERE "_ID" BETWEEN ${String(from)} AND ${String(to)}
         AND ${isPresentSql(this.mode)}`,
      [],
      REVISIONS,
    );
    return rows.map(([id, revision]) => ({ id: integerOf(id), revision: integerOf(revision) }));
  }

  async drop(): Promise<void> {
    this.session.limit('table');
    await this.states.current();
    const found = await findObject(this.session, this.table.name);
    if (this.isOwn(found)) await this.session.run(`DROP VIEW IF EXISTS ${this.view}`);
    await this.removeOthers({ data: null, load: null });
    await this.states.remove();
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private get mode(): DeletionMode {
    return this.table.deletions;
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.session.run(statement);
  }

  /**
   * Returns SQL of the time of the server. A version begins when the one before it ends, but
   * `CURRENT_TIMESTAMP` is the time of a statement.
   */
  private async now(): Promise<string> {
    const [row] = await this.session.query(
      'SELECT TO_VARCHAR(DATE_PART(EPOCH_MILLISECOND, CURRENT_TIMESTAMP()))',
    );
    const ms = integerOf(row?.[0]);
    if (!(ms >= 0 && ms < MAX_TIME)) throw notSnowflake(200);
    return timeSql(ms);
  }

  /**
   * Returns a name for a table. It has the token of the claim, so that a worker knows which tables no
   * other worker uses or will use.
   */
  private newName(): string {
    this.created += 1;
    return `${this.prefix}${String(this.states.claimed)}_${String(this.created)}`;
  }

  /**
   * Lets readers see a table, and drops those that nobody uses anymore. If the process ends before
   * that, the next claim does it. An earlier worker could still define the view as long as its table
   * was there, so the view is read again afterwards.
   */
  private async publish(
    data: string,
    columns: readonly TargetColumn[],
    load: string | null,
  ): Promise<void> {
    await this.show(data, columns);
    await this.removeOthers({ data, load });
    const found = await findObject(this.session, this.table.name);
    if (!isViewOf(found, data)) await this.show(data, columns);
    await this.states.store({ viewOf: data });
  }

  private async show(data: string, columns: readonly TargetColumn[]): Promise<void> {
    const column = MODE_COLUMNS[this.mode];
    const last = column === null ? '' : `, "${column}"`;
    try {
      await this.session.run(`CREATE OR REPLACE VIEW ${this.view} COPY GRANTS AS
        SELECT "_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT"${last} FROM ${quoted(data)}`);
    } catch (error) {
      // Another worker may have dropped the table.
      if (isMissing(error)) await this.states.current();
      throw error;
    }
  }

  /** @throws DestinationError if the table does not exist. */
  private async showAgain(data: string, columns: readonly TargetColumn[]): Promise<void> {
    try {
      await this.show(data, columns);
    } catch (error) {
      throw isMissing(error) ? tableMissing() : error;
    }
  }

  /** Appends lines to a table. A failure of the lines is thrown as it is. */
  private async insert(
    table: string,
    names: string,
    kind: LineKind,
    columns: readonly TargetColumn[],
    rows: CsvLines,
    more = '',
  ): Promise<void> {
    const values = `${valuesSql(kind, columns)}${more}`;
    for await (const list of listsOf(kind, columns, rows)) {
      await this.session.run(
        `INSERT INTO ${table} (${names})
         SELECT ${values} FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) f`,
        [list],
      );
    }
  }

  /**
   * Changes rows by lines, which are first written to a temporary table, so that no transaction waits
   * for their source.
   */
  private async changeByLines(
    kind: LineKind,
    columns: readonly TargetColumn[],
    rows: CsvLines,
    state: SyncState,
    statements: (lines: StagedLines) => readonly string[],
  ): Promise<void> {
    this.session.limit('part');
    const deleted = kind === 'changes';
    await this.session.run(`CREATE OR REPLACE TEMPORARY TABLE ${STAGE} (
      "_ID" NUMBER(19, 0), "_REVISION" NUMBER(19, 0)${deleted ? ', "_DELETED" BOOLEAN' : ''}
      ${definitionsSql(columns)})`);
    const names = `"_ID", "_REVISION"${deleted ? ', "_DELETED"' : ''}${namesSql(columns)}`;
    await this.insert(STAGE, names, kind, columns, rows);
    const data = await this.requireTarget(await this.states.current());
    await this.states.store({ state }, async () => {
      const tables = { target: quoted(data), stage: STAGE, columns };
      await this.runAll(statements({ ...tables, now: await this.now() }));
    });
  }

  /** Drops tables that the state does not name, but none that another worker may use. */
  private async removeOthers({ data, load }: Pick<StoredTable, 'data' | 'load'>): Promise<void> {
    for (const name of await listTables(this.session, this.prefix)) {
      const token = Number(name.slice(this.prefix.length).split('_')[0]);
      if (name === data || name === load || !(token <= this.states.claimed)) continue;
      await this.session.run(`DROP TABLE IF EXISTS ${quoted(name)}`);
    }
  }

  /**
   * Returns the table with the rows. If the view is gone, or a statement of an earlier worker that came late has left
   * it without its table, the view is made again.
   * @throws DestinationError if the table does not exist, or something else has the name of the view.
   */
  private async requireTarget({ data, columns }: StoredTable): Promise<string> {
    if (data === null) throw tableMissing();
    try {
      await this.session.query(`SELECT "_ID" FROM ${this.view} LIMIT 0`);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const found = await findObject(this.session, this.table.name);
      if (found !== null && !this.isOwn(found)) throw tableMissing();
      await this.showAgain(data, columns);
    }
    return data;
  }

  private isOwn(found: Awaited<ReturnType<typeof findObject>>): boolean {
    return found !== null && found !== 'table' && found.definition.includes(this.prefix);
  }

  private async rejectForeign(): Promise<void> {
    const found = await findObject(this.session, this.table.name);
    if (found === null || this.isOwn(found)) return;
    throw new DestinationError(
      'configuration',
      `The table "${this.table.name}" exists already, and this connection did not create it. Rename or drop it, or choose another name.`,
    );
  }
}

const isMissing = (error: unknown): boolean => ['002003', '002037'].includes(codeOf(error));
