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
import type { ClickhouseSession } from './clickhouse-session';
import { ClickhouseObjects, positionText } from './clickhouse-objects.repository';
import {
  addColumnSql,
  blockSql,
  commonColumns,
  createDataSql,
  createStageSql,
  inputSql,
  literal,
  isPresentSql,
  MAX_EPOCH,
  type StagedTables,
  type StoredColumn,
  storedNames,
  THROWN,
  uint128,
  valuesSql,
  type VersionPrinter,
  versionSql,
  widenedSql,
} from './clickhouse-sql';
import { type Layout, NO_LAYOUT, storedOf } from './clickhouse-layout';
import { carrySql, mergeSql, replaceSql } from './clickhouse-rows-sql';
import { ClickhouseStates, type StoredState } from './clickhouse-states.repository';
import { integerOf, sumOf } from './clickhouse-values';

/** Maximum size of the responses that have more than the usual ones. Sums of 16 billion ids. */
const SUM_LIMITS = { rows: 1_000_000, bytes: 128 * 1024 * 1024 };
const REVISION_LIMITS = { rows: BLOCK_ROWS + 100, bytes: 2 * 1024 * 1024 };
/** Ids of the rows that one statement takes over from a former table. */
const CARRIED_IDS = 64 * BLOCK_ROWS;

/**
 * Writes one table of a database. Readers use a view with the name of the table. It reads a data
 * table that keeps the highest version of each row (`ReplacingMergeTree`), and that no other load
 * uses.
 *
 * ClickHouse has no transactions. Each step has three parts: its rows, in one insert of one block,
 * which is atomic; the state; and then what cannot fail to be repeated, such as the view and the
 * removal of what no state needs anymore. If the step ends between the rows and the state, the table
 * has rows that the state does not know. The next worker does the step again, with the same or newer
 * rows, which have higher versions. A name of a table or of a stored column is used once, so that a
 * statement that arrives late finds nothing to harm.
 */
export class ClickhouseWriter implements TargetWriter {
  private readonly states: ClickhouseStates;
  private readonly objects: ClickhouseObjects;
  private current: StoredState = { state: null, layout: NO_LAYOUT };

  constructor(
    private readonly session: ClickhouseSession,
    private readonly database: string,
    private readonly table: TargetTable,
  ) {
    this.states = new ClickhouseStates(session, database, table);
    this.objects = new ClickhouseObjects(session, database, table);
  }

  async claim(token: number): Promise<SyncState | null> {
    this.current = await this.states.claim(token);
    const { state, layout } = this.current;
    const { view, viewPosition, tables } = await this.objects.find();
    const isOther = view === 'own' && layout.data !== null && viewPosition !== layout.view;
    const hasData = layout.data !== null && tables.includes(layout.data);
    if (hasData && (layout.isPending || isOther)) await this.publish();
    else if (tables.some((name) => name !== layout.data && name !== layout.load?.table)) {
      await this.removeUnused();
    }
    // A load whose table was dropped cannot continue.
    return layout.load && !tables.includes(layout.load.table) ? null : state;
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.objects.rejectForeign();
    const stored = columns.map((column) => ({ ...column, stored: `c${String(column.id)}` }));
    const table = this.objects.nameAt(this.states.next());
    await this.states.check();
    await this.session.run(createDataSql(this.in(table), stored, this.mode));
    await this.save(state, { ...this.layout, load: { table, columns: stored } });
    await this.removeUnused();
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    const { load } = this.layout;
    if (!load) throw inconsistent();
    const version = this.newVersion(0);
    const own = storedOf(columns, load.columns);
    // All parts of a load have one place, so that a part that is written again replaces its rows.
    const [first, place] = this.keepsVersions
      ? [', _first', `, ${uint128(this.objects.positionOf(load.table))}`]
      : ['', ''];
    await this.insert(
      `INSERT INTO ${this.in(load.table)}
        (_id, _revision, _version, _deleted${first}${storedNames(own)})
      SELECT _id, _revision, ${version('_revision')}, 0${place}${valuesSql(columns)}
      FROM ${inputSql(columns, false)} WHERE ${this.states.condition}`,
      rows,
    );
    await this.save(state, this.layout);
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    const { load, data } = this.layout;
    if (!load) throw inconsistent();
    storedOf(columns, load.columns);
    await this.objects.rejectForeign();
    if (data !== null) await this.carry(data, load.table, load.columns);
    const view = positionText(this.states.next());
    const own = { data: load.table, columns: load.columns, epoch: 0 };
    await this.save(state, { ...own, load: null, view, isPending: true });
    await this.publish();
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    const { data, own } = this.auditTargetOf(columns);
    const version = this.newVersion(0);
    const { mode, condition } = this;
    const hasEpochs = this.layout.epoch > 0;
    if (mode !== 'delete' || hasEpochs) {
      await this.withStage(columns, rows, true, (stage) =>
        this.run(mergeSql(mode, this.tables(data, stage, own), version, condition, hasEpochs)),
      );
    } else {
      const names = `_id, _revision, _version, _deleted${storedNames(own)}`;
      await this.insert(
        `INSERT INTO ${data} (${names})
        SELECT _id, _revision, ${version('_revision')}, _deleted${valuesSql(columns)}
        FROM ${inputSql(columns, true)} WHERE ${this.condition}`,
        rows,
      );
    }
    await this.save(state, this.layout, this.condition);
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    const { data, own } = this.auditTargetOf(columns);
    const isIn = `_id BETWEEN ${String(range.from)} AND ${String(range.to)}`;
    await this.withStage(columns, rows, false, async (stage) => {
      if (!this.keepsVersions) await this.beginEpochFor(data, stage, isIn);
      const tables = this.tables(data, stage, own);
      const version = this.newVersion();
      await this.run(replaceSql(this.mode, tables, version, this.condition, isIn));
    });
    await this.save(state, this.layout, this.condition);
  }

  async changeColumns({ removed, widened, added }: ColumnPlan, state: SyncState): Promise<void> {
    const { data } = this.auditTargetOf([]);
    const view = positionText(this.states.next());
    const { layout } = this;
    const store = (column: TargetColumn): StoredColumn => ({
      ...column,
      stored: `c${String(column.id)}_${view}`,
    });
    const changed = widened.map((column) => {
      const from = layout.columns.find(({ id }) => id === column.id);
      if (!from) throw inconsistent();
      return { from, to: store(column) };
    });
    const appended = added.map(store);
    await this.check();
    for (const { from, to } of changed) {
      // The default fills the column of the rows that are there.
      const value = widenedSql(from, to.type);
      await this.alter(data, `${addColumnSql(to)} DEFAULT ${value}`);
      await this.alter(data, `MATERIALIZE COLUMN ${to.stored}`);
      await this.alter(data, `MODIFY COLUMN ${to.stored} REMOVE DEFAULT`);
    }
    for (const column of appended) await this.alter(data, addColumnSql(column));
    const gone = new Set(removed.map(({ id }) => id));
    const kept = layout.columns.flatMap((column) =>
      gone.has(column.id) ? [] : [changed.find(({ from }) => from === column)?.to ?? column],
    );
    const columns = [...kept, ...appended];
    await this.save(state, { ...layout, columns, view, isPending: true }, this.condition);
    await this.publish();
  }

  async exists(): Promise<boolean> {
    const { view, tables } = await this.objects.find();
    return view === 'own' && this.layout.data !== null && tables.includes(this.layout.data);
  }

  async sumBlocks(): Promise<BlockSum[]> {
    const { data } = this.auditTargetOf([]);
    await this.check();
    const sums = await this.session.query(
      `SELECT toString(${blockSql}) AS block, toString(count()) AS rows,
        toString(sum(toInt128(_id))) AS ids, toString(sum(toInt128(_revision))) AS revisions
      FROM ${data} FINAL WHERE ${isPresentSql(this.mode)} GROUP BY ${blockSql} ORDER BY ${blockSql}`,
      'table',
      SUM_LIMITS,
    );
    return sums.map((row) => ({
      block: integerOf(row, 'block'),
      rows: integerOf(row, 'rows'),
      ids: sumOf(row, 'ids'),
      revisions: sumOf(row, 'revisions'),
    }));
  }

  async readRevisions({ from, to }: IdRange): Promise<RowRevision[]> {
    const { data } = this.auditTargetOf([]);
    await this.check();
    const rows = await this.session.query(
      `SELECT toString(_id) AS id, toString(_revision) AS revision FROM ${data} FINAL
      WHERE _id BETWEEN ${String(from)} AND ${String(to)} AND ${isPresentSql(this.mode)}`,
      'part',
      REVISION_LIMITS,
    );
    return rows.map((row) => ({ id: integerOf(row, 'id'), revision: integerOf(row, 'revision') }));
  }

  async drop(): Promise<void> {
    await this.states.check();
    const { view, tables } = await this.objects.find();
    await this.states.drop();
    if (view === 'own') await this.objects.dropView();
    this.current = { state: null, layout: NO_LAYOUT };
    for (const table of tables) await this.objects.dropTable(table);
  }

  close(): Promise<void> {
    return this.session.close();
  }

  private get mode(): DeletionMode {
    return this.table.deletions;
  }

  private get keepsVersions(): boolean {
    return this.mode === 'history';
  }

  private get layout(): Layout {
    return this.current.layout;
  }

  private in(name: string): string {
    return this.objects.in(name);
  }

  /** Removes what no layout has since this worker stored its own. */
  private async removeUnused(): Promise<void> {
    await this.states.check();
    await this.objects.removeUnused(this.layout, this.states.position);
  }

  /**
   * Returns how a new step prints the versions of rows. In mode `history`, the revision has no part in
   * them: a step knows the rows that it replaces.
   */
  private newVersion(epoch = this.layout.epoch): VersionPrinter {
    const position = uint128(this.states.next());
    if (this.keepsVersions) return () => position;
    const { token, step } = this.states;
    return (revision) => versionSql({ epoch, token, step }, revision);
  }

  /** Returns the data table, and where it has the columns. */
  private auditTargetOf(columns: readonly TargetColumn[]): { data: string; own: StoredColumn[] } {
    const { data, columns: stored } = this.layout;
    if (data === null) throw inconsistent();
    return { data: this.in(data), own: storedOf(columns, stored) };
  }

  /** A condition that throws if the claim is not valid anymore, or the view was dropped. */
  private get condition(): string {
    const views = `SELECT count() FROM system.tables
      WHERE database = ${literal(this.database)} AND name = ${literal(this.table.name)}`;
    return `${this.states.condition} AND throwIf((${views}) = 0, ${literal(THROWN.missing)}) = 0`;
  }

  private async check(): Promise<void> {
    await this.states.guard(() => this.session.query(`SELECT 1 WHERE ${this.condition}`));
  }

  private async save(state: SyncState | null, layout: Layout, condition?: string): Promise<void> {
    await this.states.save({ state, layout }, condition);
    this.current = { state, layout };
  }

  private run(text: string): Promise<void> {
    return this.states.guard(() => this.session.run(text, 'part', this.states.newQueryId()));
  }

  private insert(text: string, rows: CsvLines): Promise<void> {
    return this.states.guard(() => this.session.insert(text, rows, this.states.newQueryId()));
  }

  private alter(table: string, change: string): Promise<void> {
    return this.session.run(`ALTER TABLE ${table} ${change}`, 'table');
  }

  /** Puts lines into a table of their own for `work`. If it fails, the next claim drops the table. */
  private async withStage(
    columns: readonly TargetColumn[],
    rows: CsvLines,
    isChange: boolean,
    work: (stage: string) => Promise<void>,
  ): Promise<void> {
    const { own } = this.auditTargetOf(columns);
    const name = this.objects.nameAt(this.states.next());
    const stage = this.in(name);
    await this.check();
    await this.session.run(createStageSql(stage, own));
    const deleted = isChange ? '_deleted' : '0';
    await this.insert(
      `INSERT INTO ${stage} (_id, _revision, _deleted${storedNames(own)})
      SELECT _id, _revision, ${deleted}${valuesSql(columns)} FROM ${inputSql(columns, isChange)}`,
      rows,
    );
    await work(stage);
    await this.objects.dropTable(name);
  }

  private tables(data: string, stage: string, given: readonly StoredColumn[]): StagedTables {
    return { data, stage, given, all: this.layout.columns };
  }

  /** Begins an epoch if rows of the range have higher versions than those that replace them. */
  private async beginEpochFor(data: string, stage: string, isIn: string): Promise<void> {
    const rows = await this.session.query(`
      SELECT 1 FROM ${stage} AS s INNER JOIN (
        SELECT _id, max(_version) AS version FROM ${data} WHERE ${isIn} GROUP BY _id
      ) AS t ON t._id = s._id
      WHERE t.version >= ${this.newVersion()('s._revision')} LIMIT 1`);
    if (rows.length === 0) return;
    const epoch = this.layout.epoch + 1;
    if (epoch > MAX_EPOCH) throw inconsistent();
    // Before the rows. Otherwise, later changes of another worker would lose to them.
    await this.save(this.current.state, { ...this.layout, epoch });
  }

  /** Takes over what a mode keeps of a former table. Doing it again changes nothing. */
  private async carry(from: string, to: string, columns: readonly StoredColumn[]): Promise<void> {
    const { mode } = this;
    if (mode === 'delete' || !(await this.objects.find()).tables.includes(from)) return;
    const common = commonColumns(columns, this.layout.columns);
    const [data, load] = [this.in(from), this.in(to)];
    const [last] = await this.session.query(
      `SELECT toString(greatest((SELECT max(_id) FROM ${data}), (SELECT max(_id) FROM ${load}))) AS id`,
    );
    const maxId = last ? integerOf(last, 'id') : 0;
    const version = this.newVersion(0);
    for (let id = 0; id <= maxId; id += CARRIED_IDS) {
      const isIn = `_id BETWEEN ${String(id)} AND ${String(id + CARRIED_IDS - 1)}`;
      const tables = { data, load, columns, common, isIn };
      const statements = carrySql(mode, tables, version, this.states.condition);
      for (const statement of statements) await this.run(statement);
    }
  }

  /** Makes the view that of the stored layout. The claim was checked when the layout was stored. */
  private async publish(): Promise<void> {
    await this.states.check();
    await this.objects.createView(this.layout, this.states.newQueryId());
    await this.removeUnused();
    // A late worker could define the view as long as its table was there.
    const { viewPosition } = await this.objects.find();
    if (viewPosition !== this.layout.view) {
      await this.objects.createView(this.layout, this.states.newQueryId());
    }
    await this.save(this.current.state, { ...this.layout, isPending: false });
  }
}

function inconsistent(): DestinationError {
  return new DestinationError('inconsistent', 'A table does not exist anymore.');
}
