import {
  BLOCK_ROWS,
  type BlockSum,
  type ColumnPlan,
  type CsvLines,
  DestinationError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import { columnsOf, findObject, listTables } from './snowflake-catalog.repository';
import { codeOf, integerOf, integerTextOf, missing } from './snowflake-error';
import { type LineKind, listsOf, valuesSql } from './snowflake-lines';
import type { SnowflakeSession } from './snowflake-session.repository';
import {
  convertedSql,
  DATA_TYPES,
  definitionsSql,
  nameOf,
  namesSql,
  quoted,
} from './snowflake-sql';
import { SnowflakeStates, type StoredTable } from './snowflake-states.repository';

/** Temporary table of the lines of one change. */
const STAGE = quoted('_datagrid_stage');
/** Name of a column while it gets another type. */
const FORMER = quoted('_datagrid_former');
/** Limit of the sums of 2^32 ids. */
const BLOCK_SUMS = { columns: 4, rows: 2 ** 18, bytes: 2 ** 18 * 64 } as const;
/** Limit of the ids and revisions of a block. */
const REVISIONS = { columns: 2, rows: BLOCK_ROWS + 1_000, bytes: 1024 * 1024 } as const;

/** A table with rows, that of the state or that of a load. */
interface Data {
  readonly name: string;
  readonly columns: readonly TargetColumn[];
}

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
    if (stored.data !== null && stored.data !== stored.viewOf)
      await this.show(stored.data, stored.columns);
    await this.removeOthers(stored);
    return stored.state;
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    this.session.limit('part');
    const stored = await this.states.current();
    await this.rejectForeign();
    const load = this.newName();
    await this.session.run(`CREATE TRANSIENT TABLE ${quoted(load)} (${this.definition(columns)})`);
    await this.states.store({ state, load });
    await this.removeOthers({ ...stored, load });
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    this.session.limit('part');
    const { load } = await this.states.current();
    if (load === null) throw missing();
    await this.states.store({ state }, async () => {
      const now = `, ${quoted('_synced_at')}`;
      const names = `${quoted('_id')}, ${quoted('_revision')}${namesSql(columns)}${now}`;
      await this.insert(quoted(load), names, 'rows', columns, rows, ', CURRENT_TIMESTAMP()');
    });
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    this.session.limit('table');
    const stored = await this.states.current();
    const { load, data } = stored;
    if (load === null) throw missing();
    await columnsOf(this.session, load);
    await this.rejectForeign();
    const change = { state, data: load, columns, load: null } as const;
    await this.states.store(change, async () => {
      if (data === null || !this.marks) return;
      const former = await columnsOf(this.session, data).catch(() => null);
      if (former) await this.keepMarked({ name: load, columns }, { ...stored, name: data }, former);
    });
    await this.show(load, columns);
    await this.removeOthers({ data: load, load: null });
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.changeByLines('changes', columns, rows, state, async (target) => {
      const isOlder = `t."_ID" = s."_ID" AND t."_REVISION" <= s."_REVISION"`;
      if (this.marks) {
        await this.session.run(`UPDATE ${target} t SET "_REVISION" = s."_REVISION",
            "_SYNCED_AT" = CURRENT_TIMESTAMP(),
            "_DELETED_AT" = COALESCE(t."_DELETED_AT", CURRENT_TIMESTAMP())
          FROM ${STAGE} s WHERE s."_DELETED" AND ${isOlder}`);
      }
      const which = this.marks ? ' AND NOT s."_DELETED"' : '';
      await this.session.run(`DELETE FROM ${target} t USING ${STAGE} s WHERE ${isOlder}${which}`);
      await this.insertMissing(target, columns, 'NOT s."_DELETED"');
    });
  }

  async replace(
    columns: readonly TargetColumn[],
    { from, to }: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines('rows', columns, rows, state, async (target) => {
      const range = `"_ID" BETWEEN ${String(from)} AND ${String(to)}`;
      const staged = `"_ID" IN (SELECT "_ID" FROM ${STAGE})`;
      if (this.marks) {
        await this.session.run(`UPDATE ${target} SET "_DELETED_AT" = CURRENT_TIMESTAMP(),
            "_SYNCED_AT" = CURRENT_TIMESTAMP()
          WHERE "_DELETED_AT" IS NULL AND ${range} AND NOT ${staged}`);
      }
      await this.session.run(
        `DELETE FROM ${target} WHERE ${this.marks ? staged : `(${range} OR ${staged})`}`,
      );
      await this.insertMissing(target, columns, 'TRUE');
    });
  }

  async changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    this.session.limit('table');
    const { removed, widened, added } = plan;
    const stored = await this.states.current();
    const { data } = stored;
    await this.requireTarget();
    if (data === null) throw missing();
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
    await this.show(copy, columns);
    await this.removeOthers({ data: copy, load: stored.load });
  }

  async exists(): Promise<boolean> {
    const { data } = await this.states.current();
    if (data === null) return false;
    try {
      await this.requireTarget();
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
       FROM ${this.view} ${this.marks ? 'WHERE "_DELETED_AT" IS NULL' : ''}
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
         ${this.marks ? 'AND "_DELETED_AT" IS NULL' : ''}`,
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

  private get marks(): boolean {
    return this.table.deletions === 'mark';
  }

  /**
   * Returns a name for a table. It has the token of the claim, so that a worker knows which tables no
   * other worker uses or will use.
   */
  private newName(): string {
    this.created += 1;
    return `${this.prefix}${String(this.states.claimed)}_${String(this.created)}`;
  }

  private definition(columns: readonly TargetColumn[]): string {
    const mark = this.marks ? ', "_DELETED_AT" TIMESTAMP_TZ(3)' : '';
    return `"_ID" NUMBER(19, 0) NOT NULL, "_REVISION" NUMBER(19, 0) NOT NULL
      ${definitionsSql(columns)}, "_SYNCED_AT" TIMESTAMP_TZ(3)${mark}`;
  }

  /** Lets readers see a table. If the process ends before that, the next claim does it. */
  private async show(data: string, columns: readonly TargetColumn[]): Promise<void> {
    const mark = this.marks ? ', "_DELETED_AT"' : '';
    await this.session.run(`CREATE OR REPLACE VIEW ${this.view} COPY GRANTS AS
      SELECT "_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT"${mark} FROM ${quoted(data)}`);
    await this.states.store({ viewOf: data });
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
    work: (target: string) => Promise<void>,
  ): Promise<void> {
    this.session.limit('part');
    const deleted = kind === 'changes';
    await this.session.run(`CREATE OR REPLACE TEMPORARY TABLE ${STAGE} (
      "_ID" NUMBER(19, 0), "_REVISION" NUMBER(19, 0)${deleted ? ', "_DELETED" BOOLEAN' : ''}
      ${definitionsSql(columns)})`);
    const names = `"_ID", "_REVISION"${deleted ? ', "_DELETED"' : ''}${namesSql(columns)}`;
    await this.insert(STAGE, names, kind, columns, rows);
    const { data } = await this.states.current();
    if (data === null) throw missing();
    await this.requireTarget();
    await this.states.store({ state }, () => work(quoted(data)));
  }

  /** Inserts the staged rows that a table does not have. */
  private async insertMissing(
    target: string,
    columns: readonly TargetColumn[],
    condition: string,
  ): Promise<void> {
    await this.session.run(`INSERT INTO ${target}
        ("_ID", "_REVISION"${namesSql(columns)}, "_SYNCED_AT")
      SELECT s."_ID", s."_REVISION"${namesSql(columns, 's.')}, CURRENT_TIMESTAMP()
      FROM ${STAGE} s LEFT JOIN ${target} t ON t."_ID" = s."_ID"
      WHERE t."_ID" IS NULL AND ${condition}`);
  }

  /** Adds the rows of the former table that a load does not have, as deleted ones. */
  private async keepMarked(load: Data, former: Data, names: ReadonlySet<string>): Promise<void> {
    const values = load.columns.map(({ id, type }) => {
      const old = former.columns.find((column) => column.id === id);
      const isPresent = old !== undefined && names.has(nameOf(old.name));
      return isPresent ? convertedSql(`t.${quoted(old.name)}`, old.type, type) : 'NULL';
    });
    const at = names.has('_DELETED_AT') ? 't."_DELETED_AT"' : 'NULL';
    await this.session.run(`INSERT INTO ${quoted(load.name)}
        ("_ID", "_REVISION"${namesSql(load.columns)}, "_SYNCED_AT", "_DELETED_AT")
      SELECT t."_ID", t."_REVISION"${values.map((value) => `, ${value}`).join('')},
        IFF(${at} IS NULL, CURRENT_TIMESTAMP(), t."_SYNCED_AT"),
        COALESCE(${at}, CURRENT_TIMESTAMP())
      FROM ${quoted(former.name)} t LEFT JOIN ${quoted(load.name)} l ON l."_ID" = t."_ID"
      WHERE l."_ID" IS NULL`);
  }

  /** Drops tables that the state does not name, but none that another worker may use. */
  private async removeOthers({ data, load }: Pick<StoredTable, 'data' | 'load'>): Promise<void> {
    for (const name of await listTables(this.session, this.prefix)) {
      const token = Number(name.slice(this.prefix.length).split('_')[0]);
      if (name === data || name === load || !(token <= this.states.claimed)) continue;
      await this.session.run(`DROP TABLE IF EXISTS ${quoted(name)}`);
    }
  }

  /** @throws DestinationError if the view or its table does not exist. */
  private async requireTarget(): Promise<void> {
    try {
      await this.session.query(`SELECT "_ID" FROM ${this.view} LIMIT 0`);
    } catch (error) {
      throw ['002003', '002037'].includes(codeOf(error)) ? missing() : error;
    }
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
