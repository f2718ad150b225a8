import {
  BLOCK_ROWS,
  type BlockSum,
  type ColumnPlan,
  DestinationError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
} from '../destination';
import { findLongestLine } from './csv-file';
import {
  joinVersionsSql,
  keepMarkedSql,
  mergeSql,
  removeSql,
  replaceSql,
  type StagedLines,
  type TakenOver,
} from './duckdb-rows-sql';
import type { ColumnTypes, DuckdbSession, StoredTable } from './duckdb-session.repository';
import {
  convertedSql,
  csvNames,
  definitionsSql,
  isCast,
  type LineKind,
  MODE_COLUMNS,
  quoted,
  readCsvSql,
  targetNames,
  typeOf,
} from './duckdb-sql';

/** Columns that every table of a sync has. */
const OWN_COLUMNS = ['_id', '_revision', '_synced_at'];
const STAGE = 'temp.main._datagrid_stage';

/**
 * A target table in a database of DuckDB. Its methods are those of `TargetWriter`; CSV lines stand in a
 * file, `null` if there are none. The table has no key: DuckDB replaces 1,000 of 1 M rows 35 times
 * faster by DELETE and INSERT without an index than by MERGE or ON CONFLICT.
 */
export class DuckdbTableRepository {
  private readonly target: string;
  private readonly loaded: string;
  private readonly loadedName: string;
  private readonly rebuilt: string;

  constructor(
    private readonly session: DuckdbSession,
    private readonly table: TargetTable,
  ) {
    const id = table.id.replaceAll('-', '');
    this.loadedName = `_datagrid_load_${id}`;
    this.loaded = session.qualified(this.loadedName);
    this.rebuilt = session.qualified(`_datagrid_rebuilt_${id}`);
    this.target = session.qualified(table.name);
  }

  claim(token: number): Promise<SyncState | null> {
    return this.session.claim(token);
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.session.change(state, async (stored) => {
      await this.checkOwner(stored);
      const definitions = definitionsSql(columns, this.table.deletions);
      await this.session.run(`CREATE OR REPLACE TABLE ${this.loaded} (${definitions})`);
    });
  }

  async append(
    columns: readonly TargetColumn[],
    csv: string | null,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines(csv, columns, 'rows', state, async (lines) => {
      await this.checkColumns(this.loadedName, columns);
      if (lines === null) return;
      await this.session.run(`INSERT INTO ${this.loaded} (${targetNames(columns)}, _synced_at)
        SELECT ${csvNames(columns, 'rows')}, now() FROM ${lines}`);
    });
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.session.change(state, async (stored) => {
      await this.checkColumns(this.loadedName, columns);
      await this.checkOwner(stored);
      const types = await this.findAccess();
      const { target, loaded } = this;
      let next = loaded;
      if (types !== null) {
        next = await this.takeOver({
          target,
          loaded,
          columns,
          former: stored.columns ?? [],
          types,
        });
        await this.session.run(`DROP TABLE ${this.target}`);
      }
      await this.session.run(`ALTER TABLE ${next} RENAME TO ${quoted(this.table.name)}`);
      await this.session.storeColumns(this.table.name, columns);
    });
  }

  async merge(
    columns: readonly TargetColumn[],
    csv: string | null,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines(csv, columns, 'changes', state, async (lines, stored) => {
      await this.checkTarget(stored, columns);
      if (lines === null) return;
      await this.session.run(`CREATE OR REPLACE TEMP TABLE ${STAGE} AS SELECT * FROM ${lines}`);
      await this.runAll(mergeSql(this.table.deletions, this.staged(columns)));
      await this.session.run(`DROP TABLE ${STAGE}`);
    });
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    csv: string | null,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines(csv, columns, 'rows', state, async (lines, stored) => {
      await this.checkTarget(stored, columns);
      const { deletions } = this.table;
      if (lines === null) {
        await this.runAll(removeSql(deletions, this.target, range));
        return;
      }
      await this.session.run(`CREATE OR REPLACE TEMP TABLE ${STAGE} AS SELECT * FROM ${lines}`);
      await this.runAll(replaceSql(deletions, this.staged(columns), range));
      await this.session.run(`DROP TABLE ${STAGE}`);
    });
  }

  async changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    const { removed, widened, added } = plan;
    await this.session.change(state, async (stored) => {
      const former = stored.columns ?? [];
      const isRemoved = (column: { name: string }): boolean =>
        removed.some(({ name }) => name === column.name);
      const widenedOf = ({ id }: TargetColumn): TargetColumn | undefined =>
        widened.find((column) => column.id === id);
      const types = await this.checkTarget(stored, [
        ...removed,
        ...former.filter((column) => widenedOf(column) !== undefined),
      ]);
      const isFree = added.every((column) => !types.has(column.name) || isRemoved(column));
      if (!isFree || !widened.every(({ name }) => types.has(name))) throw this.changed();
      const onlyCasts = widened.every((column) => isCast(types.get(column.name) ?? '', column));
      await (onlyCasts ? this.alter(plan) : this.rebuild(plan, types));
      await this.session.storeColumns(this.table.name, [
        ...former
          .filter((column) => !isRemoved(column))
          .map((column) => widenedOf(column) ?? column),
        ...added,
      ]);
    });
  }

  private async alter({ removed, widened, added }: ColumnPlan): Promise<void> {
    const changes = [
      ...removed.map(({ name }) => `DROP COLUMN ${quoted(name)}`),
      ...widened.map((column) => `ALTER COLUMN ${quoted(column.name)} TYPE ${typeOf(column)}`),
      ...added.map((column) => `ADD COLUMN ${quoted(column.name)} ${typeOf(column)}`),
    ];
    for (const change of changes) await this.session.run(`ALTER TABLE ${this.target} ${change}`);
  }

  /**
   * Writes the table anew, to convert values by functions. ALTER could do so, but DuckDB then cannot
   * open the file if it was not closed in order; and it cannot UPDATE and ALTER in one transaction.
   */
  private async rebuild(
    { removed, widened, added }: ColumnPlan,
    types: ColumnTypes,
  ): Promise<void> {
    const kept = [...types].filter(([name]) => !removed.some((column) => column.name === name));
    const values = kept.map(([name, from]) => {
      const column = widened.find((other) => other.name === name);
      const value = column ? convertedSql(quoted(name), from, column) : quoted(name);
      return `${value} AS ${quoted(name)}`;
    });
    const empty = added.map(
      (column) => `CAST(NULL AS ${typeOf(column)}) AS ${quoted(column.name)}`,
    );
    await this.session.run(`CREATE OR REPLACE TABLE ${this.rebuilt} AS
      SELECT ${[...values, ...empty].join(', ')} FROM ${this.target}`);
    await this.session.run(`DROP TABLE ${this.target}`);
    await this.session.run(`ALTER TABLE ${this.rebuilt} RENAME TO ${quoted(this.table.name)}`);
  }

  async exists(): Promise<boolean> {
    return this.session.read(async ({ columns }) => {
      return columns !== null && (await this.findAccess()) !== null;
    });
  }

  async sumBlocks(): Promise<BlockSum[]> {
    return this.session.read(async (stored) => {
      await this.checkTarget(stored, []);
      const rows = await this.session.rows(`SELECT (_id // ${String(BLOCK_ROWS)})::VARCHAR,
          count(*)::VARCHAR, sum(_id)::VARCHAR, sum(_revision)::VARCHAR
        FROM ${this.target} WHERE ${this.isPresent}
        GROUP BY _id // ${String(BLOCK_ROWS)} ORDER BY _id // ${String(BLOCK_ROWS)}`);
      return rows.map(([block, count, ids, revisions]) => ({
        block: Number(block),
        rows: Number(count),
        ids: ids ?? '0',
        revisions: revisions ?? '0',
      }));
    });
  }

  async readRevisions({ from, to }: IdRange): Promise<RowRevision[]> {
    return this.session.read(async (stored) => {
      await this.checkTarget(stored, []);
      const rows = await this.session.rows(`
        SELECT _id::VARCHAR, _revision::VARCHAR FROM ${this.target}
        WHERE _id BETWEEN ${String(from)} AND ${String(to)}
          AND ${this.isPresent}`);
      return rows.map(([id, revision]) => ({ id: Number(id), revision: Number(revision) }));
    });
  }

  async drop(): Promise<void> {
    await this.session.remove(async ({ columns }) => {
      await this.session.run(`DROP TABLE IF EXISTS ${this.loaded}`);
      const isOurs = columns !== null && (await this.findAccess()) !== null;
      if (isOurs) await this.session.run(`DROP TABLE ${this.target}`);
    });
  }

  /** Condition that is true for the rows that the datagrid has. */
  private get isPresent(): string {
    return MODE_COLUMNS[this.table.deletions].map((name) => `${name} IS NULL`)[0] ?? 'true';
  }

  private staged(columns: readonly TargetColumn[]): StagedLines {
    return { target: this.target, stage: STAGE, columns };
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.session.run(statement);
  }

  /** Runs a change that reads lines. `work` gets a source for FROM. */
  private async changeByLines(
    csv: string | null,
    columns: readonly TargetColumn[],
    kind: LineKind,
    state: SyncState,
    work: (lines: string | null, stored: StoredTable) => Promise<void>,
  ): Promise<void> {
    const lines =
      csv === null
        ? null
        : readCsvSql({ path: csv, maxLineBytes: await findLongestLine(csv) }, columns, kind);
    await this.session.change(state, (stored) => work(lines, stored));
  }

  /** @throws DestinationError if something has the name of the table that no load has made. */
  private async checkOwner({ columns }: StoredTable): Promise<void> {
    const isOurs = columns !== null && (await this.findAccess()) !== null;
    if (isOurs || !(await this.session.isTaken(this.table.name))) return;
    throw new DestinationError(
      'configuration',
      `The file has a table or view "${this.table.name}" that this sync has not created. Rename or drop it, or choose another file.`,
    );
  }

  /** Returns the types of the columns of the target table, which must have these columns. */
  private async checkTarget(
    stored: StoredTable,
    columns: readonly TargetColumn[],
  ): Promise<ColumnTypes> {
    if (stored.columns === null) throw this.missing();
    const types = await this.checkColumns(this.table.name, columns);
    if (!MODE_COLUMNS[this.table.deletions].every((name) => types.has(name))) throw this.changed();
    return types;
  }

  private async checkColumns(name: string, columns: readonly TargetColumn[]): Promise<ColumnTypes> {
    const types = await this.findOwn(name);
    if (types === null) throw this.missing();
    const isComplete = columns.every((column) => types.get(column.name) === typeOf(column));
    if (!isComplete) throw this.changed();
    return types;
  }

  private findAccess(): Promise<ColumnTypes | null> {
    return this.findOwn(this.table.name);
  }

  /** Returns the types of the columns of a table; `null` if it cannot be one of a sync. */
  private async findOwn(name: string): Promise<ColumnTypes | null> {
    const types = await this.session.findTypes(name);
    const isOwn = types !== null && OWN_COLUMNS.every((column) => types.has(column));
    return isOwn ? types : null;
  }

  /**
   * Adds what the target table has to a load, as far as the mode keeps it. @returns the table that has
   * both.
   */
  private async takeOver(given: TakenOver): Promise<string> {
    const { deletions } = this.table;
    const { rebuilt, loaded } = this;
    if (deletions === 'mark') await this.session.run(keepMarkedSql(given));
    if (deletions !== 'history') return loaded;
    await this.runAll([
      `CREATE OR REPLACE TABLE ${rebuilt} (${definitionsSql(given.columns, deletions)})`,
      ...joinVersionsSql(rebuilt, given),
      `DROP TABLE ${loaded}`,
    ]);
    return rebuilt;
  }

  private missing(): DestinationError {
    return new DestinationError(
      'inconsistent',
      `Table "${this.table.name}" is missing in the file. It must be loaded again.`,
    );
  }

  private changed(): DestinationError {
    return new DestinationError(
      'inconsistent',
      `The columns of table "${this.table.name}" were changed in the file. It must be loaded again.`,
    );
  }
}
