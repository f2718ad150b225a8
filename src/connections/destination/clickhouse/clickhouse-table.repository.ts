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
import type { ClickhouseSession } from './clickhouse-session';
import { ClickhouseObjects, positionText } from './clickhouse-objects.repository';
import {
  addColumnSql,
  blockSql,
  createDataSql,
  createStageSql,
  inputSql,
  literal,
  MAX_EPOCH,
  mergeMarksSql,
  replaceSql,
  type StagedTables,
  type StoredColumn,
  storedNames,
  THROWN,
  valuesSql,
  versionSql,
  widenedSql,
} from './clickhouse-sql';
import { type Layout, NO_LAYOUT } from './clickhouse-layout';
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
    await this.session.run(createDataSql(this.in(table), stored));
    await this.save(state, { ...this.layout, load: { table, columns: stored } });
    await this.removeUnused();
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    const { load } = this.layout;
    if (!load) throw inconsistent();
    const order = { epoch: 0, token: this.states.token, step: this.nextStep() };
    const own = storedOf(columns, load.columns);
    await this.insert(
      `INSERT INTO ${this.in(load.table)} (_id, _revision, _version, _deleted${storedNames(own)})
      SELECT _id, _revision, ${versionSql(order, '_revision')}, 0${valuesSql(columns)}
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
    if (this.marks && data !== null) await this.carryMarks(data, load.table, load.columns);
    const view = positionText(this.states.next());
    const own = { data: load.table, columns: load.columns, epoch: 0 };
    await this.save(state, { ...own, load: null, view, isPending: true });
    await this.publish();
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    const { data, own } = this.targetOf(columns);
    const version = this.newVersion();
    if (this.marks) {
      await this.withStage(columns, rows, true, (stage) =>
        this.run(mergeMarksSql(this.tables(data, stage, own), version, this.condition)),
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
    const { data, own } = this.targetOf(columns);
    const isIn = `_id BETWEEN ${String(range.from)} AND ${String(range.to)}`;
    await this.withStage(columns, rows, false, async (stage) => {
      await this.beginEpochFor(data, stage, isIn);
      const version = this.newVersion();
      await this.run(
        replaceSql(this.tables(data, stage, own), version, this.condition, isIn, this.marks),
      );
    });
    await this.save(state, this.layout, this.condition);
  }

  async changeColumns({ removed, widened, added }: ColumnPlan, state: SyncState): Promise<void> {
    const { data } = this.targetOf([]);
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
    const { data } = this.targetOf([]);
    await this.check();
    const sums = await this.session.query(
      `SELECT toString(${blockSql}) AS block, toString(count()) AS rows,
        toString(sum(toInt128(_id))) AS ids, toString(sum(toInt128(_revision))) AS revisions
      FROM ${data} FINAL WHERE isNull(_deleted_at) GROUP BY ${blockSql} ORDER BY ${blockSql}`,
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
    const { data } = this.targetOf([]);
    await this.check();
    const rows = await this.session.query(
      `SELECT toString(_id) AS id, toString(_revision) AS revision FROM ${data} FINAL
      WHERE _id BETWEEN ${String(from)} AND ${String(to)} AND isNull(_deleted_at)`,
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

  private get marks(): boolean {
    return this.table.deletions === 'mark';
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

  private nextStep(): number {
    this.states.next();
    return this.states.step;
  }

  /** Returns how a new step prints the versions of rows. */
  private newVersion(): (revision: string) => string {
    const order = { epoch: this.layout.epoch, token: this.states.token, step: this.nextStep() };
    return (revision) => versionSql(order, revision);
  }

  /** Returns the data table, and where it has the columns. */
  private targetOf(columns: readonly TargetColumn[]): { data: string; own: StoredColumn[] } {
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
    const { own } = this.targetOf(columns);
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

  /** Takes over rows that a load lacks, as deleted ones. Doing it again changes nothing. */
  private async carryMarks(
    data: string,
    load: string,
    columns: readonly StoredColumn[],
  ): Promise<void> {
    if (!(await this.objects.find()).tables.includes(data)) return;
    const kept = columns.flatMap((column) => {
      const from = this.layout.columns.find(
        ({ id, type }) => id === column.id && type === column.type,
      );
      return from ? [{ from, to: column }] : [];
    });
    const [last] = await this.session.query(
      `SELECT toString(max(_id)) AS id FROM ${this.in(data)}`,
    );
    const maxId = last ? integerOf(last, 'id') : 0;
    const order = { epoch: 0, token: this.states.token, step: this.nextStep() };
    const names = storedNames(kept.map(({ to }) => to));
    for (let from = 0; from <= maxId; from += CARRIED_IDS) {
      const isIn = `_id BETWEEN ${String(from)} AND ${String(from + CARRIED_IDS - 1)}`;
      await this.run(`
        INSERT INTO ${this.in(load)} (_id, _revision, _version, _deleted, _deleted_at${names})
        SELECT _id, _revision, ${versionSql(order, '_revision')}, 0,
          ifNull(_deleted_at, now64(3, 'UTC'))${storedNames(kept.map((one) => one.from))}
        FROM ${this.in(data)} FINAL
        WHERE ${isIn} AND _id NOT IN (SELECT _id FROM ${this.in(load)} WHERE ${isIn})
          AND ${this.states.condition}`);
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

/** Returns where a table has columns. @throws DestinationError if it lacks one. */
function storedOf(
  columns: readonly TargetColumn[],
  stored: readonly StoredColumn[],
): StoredColumn[] {
  return columns.map((column) => {
    const found = stored.find(({ id, type }) => id === column.id && type === column.type);
    if (found) return found;
    throw new DestinationError('inconsistent', 'A column does not exist anymore.');
  });
}
