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
import { type FoundTable, findTable, listTables } from './mysql-catalog.repository';
import { columnTypeChanged, integerOf, integerTextOf } from '../stored-integer';
import { type LineKind, literalLines } from './mysql-lines';
import type { ResponseLimits } from './mysql-response';
import {
  definitionSql,
  isPresentSql,
  keepSql,
  mergeSql,
  MODE_COLUMNS,
  replaceSql,
} from './mysql-rows-sql';
import type { MysqlSession, StatementSize } from './mysql-session.repository';
import { DATA_TYPES, literal, type MysqlTypes, namesSql, printedSql, quoted } from './mysql-sql';
import { MysqlStates, type Pending } from './mysql-states.repository';

/** Temporary table of the lines of one change. */
const STAGE = quoted('_datagrid_stage');
/** Limit of the sums of 2^32 ids. */
const BLOCK_SUMS = { columns: 4, rows: 2 ** 18, bytes: 2 ** 18 * 64 } as const;
/** Limit of the ids and revisions of a block, and of rows that somebody has added to it. */
const REVISIONS = { columns: 2, rows: BLOCK_ROWS + 1_000, bytes: 1024 * 1024 } as const;

/** Writes one table of a database. */
export class MysqlWriter implements TargetWriter {
  private readonly target: string;
  private readonly states: MysqlStates;
  /** What the names of tables that this connection creates begin with. */
  private readonly prefix: string;
  private created = 0;

  constructor(
    private readonly session: MysqlSession,
    private readonly table: TargetTable,
  ) {
    this.target = quoted(table.name);
    this.states = new MysqlStates(session, table);
    this.prefix = `_datagrid_load_${table.id.replaceAll('-', '')}_`;
  }

  async claim(token: number): Promise<SyncState | null> {
    let state: SyncState | null = null;
    await this.states.claim(token, async ({ load, pending, ...stored }) => {
      const isMade = pending !== null && (await this.complete(pending));
      state = isMade ? pending.state : stored.state;
      await this.removeOthers(isMade ? null : load);
    });
    return state;
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.states.locked('part', async () => {
      await this.rejectForeignTable();
      const load = this.newName();
      await this.session.run(this.createSql(load, load, columns));
      await this.states.store({ state, load });
      await this.removeOthers(load);
    });
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.states.locked('part', async ({ load }) => {
      if (load === null) throw missing();
      const names = `_id, _revision${namesSql(columns)}`;
      await this.states.store({ state }, () =>
        this.session.insert(quoted(load), names, literalLines('rows', columns, rows)),
      );
    });
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    await this.states.locked('table', async ({ load, columns: former }) => {
      const target = await this.rejectForeignTable();
      if (load === null || !(await this.find(load))) throw missing();
      const old = target && this.newName();
      const moved = old === null ? '' : `${this.target} TO ${quoted(old)}, `;
      const statement = `RENAME TABLE ${moved}${quoted(load)} TO ${this.target}`;
      const swap = { kind: 'swap', load, old, version: load, statement, columns, state } as const;
      await this.change({ ...swap, printed: [] }, async () => {
        if (!target) return;
        const [joined, left] = [this.newName(), this.newName()];
        const given = {
          ...{ target: this.target, load: quoted(load), columns },
          ...{ former: former ?? [], types: target.types },
          ...{ joined: quoted(joined), left: quoted(left) },
          create: this.createSql(joined, load, columns),
        };
        await this.runAll(keepSql(this.mode, given));
      });
      await this.removeOthers(null);
    });
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.changeByLines('changes', columns, rows, state, () =>
      this.runAll(mergeSql(this.mode, { target: this.target, stage: STAGE, columns })),
    );
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    await this.changeByLines('rows', columns, rows, state, () =>
      this.runAll(replaceSql(this.mode, { target: this.target, stage: STAGE, columns }, range)),
    );
  }

  async changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    const { removed, widened, added } = plan;
    await this.states.locked('table', async ({ columns }) => {
      const found = await this.own();
      const former = columns ?? [];
      const version = this.newName();
      const parts = [
        ...removed
          .filter(({ name }) => found.types.has(name))
          .map(({ name }) => `DROP COLUMN ${quoted(name)}`),
        ...widened.map(({ name, type }) => `MODIFY ${quoted(name)} ${this.types.of(type)} NULL`),
        ...added.map(({ name, type }) => `ADD COLUMN ${quoted(name)} ${this.types.of(type)} NULL`),
        `COMMENT = ${literal(this.commentOf(version))}`,
      ];
      const gone = new Set([...removed, ...widened].map(({ name }) => name));
      await this.change({
        kind: 'columns',
        version,
        statement: `ALTER TABLE ${this.target} ${parts.join(', ')}`,
        load: null,
        old: null,
        columns: [...former.filter(({ name }) => !gone.has(name)), ...widened, ...added],
        printed: widened.flatMap(({ id, name, type }) => {
          const from = former.find((column) => column.id === id)?.type;
          return type === 'text' && from !== undefined ? [{ name, from }] : [];
        }),
        state,
      });
    });
  }

  async exists(): Promise<boolean> {
    return (await this.find(this.table.name))?.comment.includes(this.table.id) === true;
  }

  async sumBlocks(): Promise<BlockSum[]> {
    const block = `_id DIV ${String(BLOCK_ROWS)}`;
    const rows = await this.read(
      'table',
      `SELECT ${block}, COUNT(*), SUM(_id), SUM(_revision) FROM ${this.target}
      WHERE ${isPresentSql(this.mode)} GROUP BY ${block} ORDER BY ${block}`,
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
    const rows = await this.read(
      'part',
      `SELECT _id, _revision FROM ${this.target}
      WHERE _id BETWEEN ${String(from)} AND ${String(to)}
        AND ${isPresentSql(this.mode)}`,
      REVISIONS,
    );
    return rows.map(([id, revision]) => ({ id: integerOf(id), revision: integerOf(revision) }));
  }

  async drop(): Promise<void> {
    await this.states.locked('table', async () => {
      await this.removeOthers(null);
      if (await this.exists()) await this.session.run(`DROP TABLE ${this.target}`);
      await this.states.remove();
    });
  }

  close(): Promise<void> {
    this.session.close();
    return Promise.resolve();
  }

  private get mode(): DeletionMode {
    return this.table.deletions;
  }

  private async runAll(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.session.run(statement);
  }

  private get types(): MysqlTypes {
    return this.session.types;
  }

  /** @param version Name that no other version of the table has. */
  private commentOf(version: string): string {
    return `Kept in sync by a connection of the datagrid platform. Table ${this.table.id}. Version ${version}.`;
  }

  /**
   * Returns a name for a table. It has the token of the claim, so that a worker knows which tables no
   * other worker uses or will use.
   */
  private newName(): string {
    this.created += 1;
    return `${this.prefix}${String(this.states.claimed)}_${String(this.created)}`;
  }

  /** @param version Name that no other version of the table has. */
  private createSql(name: string, version: string, columns: readonly TargetColumn[]): string {
    return `CREATE TABLE ${quoted(name)}
      (${definitionSql(this.mode)} ${this.types.definitions(columns)})
      ${this.types.tableOptions(this.commentOf(version))}`;
  }

  private async read(
    size: StatementSize,
    text: string,
    limit: ResponseLimits,
  ): ReturnType<MysqlSession['query']> {
    await this.session.limit(size);
    return this.session.query(text, limit);
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
    work: () => Promise<void>,
  ): Promise<void> {
    const deleted = kind === 'changes' ? ['_deleted'] : [];
    await this.session.limit('part');
    await this.session.run(`CREATE TEMPORARY TABLE ${STAGE} (
      _id bigint NOT NULL PRIMARY KEY, _revision bigint NOT NULL
      ${deleted.map((name) => `, ${name} tinyint(1) NOT NULL`).join('')}
      ${this.types.definitions(columns)}) ${this.types.tableOptions('')}`);
    try {
      const names = ['_id', '_revision', ...deleted].join(', ') + namesSql(columns);
      await this.session.insert(STAGE, names, literalLines(kind, columns, rows));
      await this.states.locked('part', async () => {
        const { types } = await this.own();
        const isSame = columns.every(({ name, type }) => types.get(name) === DATA_TYPES[type]);
        if (!isSame) throw columnTypeChanged();
        await this.states.store({ state }, work);
      });
    } finally {
      // If the connection is lost, the server drops it.
      await this.session.run(`DROP TEMPORARY TABLE IF EXISTS ${STAGE}`).catch(() => undefined);
    }
  }

  /** Stores a change of tables, and makes it. If it fails, it is removed again. */
  private async change(pending: Pending, prepare?: () => Promise<void>): Promise<void> {
    await this.states.store({ pending });
    try {
      await prepare?.();
      await this.session.run(pending.statement);
    } catch (error) {
      // Otherwise, the next claim decides.
      if (!this.session.isClosed) await this.settle(pending).catch(() => undefined);
      throw error;
    }
    await this.confirm(pending);
  }

  /** Completes a change that another worker has stored, if it has made it. @returns whether it has. */
  private async complete(pending: Pending): Promise<boolean> {
    await this.session.limit('table');
    return this.settle(pending);
  }

  /** Confirms a stored change if it was made, and otherwise removes it. @returns whether it was made. */
  private async settle(pending: Pending): Promise<boolean> {
    const target = await this.find(this.table.name);
    const isMade = target?.comment.includes(`Version ${pending.version}.`) === true;
    if (isMade) {
      await this.confirm(pending);
      return true;
    }
    const { load, old } = pending;
    // An older server that was killed may have moved one of the two tables only.
    if (old !== null && !target && (await this.find(old))) {
      await this.session.run(`RENAME TABLE ${quoted(old)} TO ${this.target}`);
    }
    await this.states.store({ pending: null }, async () => {
      // Rows that were kept are not part of the load.
      const column = MODE_COLUMNS[this.mode];
      if (load === null || column === null || !(await this.find(load))) return;
      await this.session.run(`DELETE FROM ${quoted(load)} WHERE ${column} IS NOT NULL`);
    });
    return false;
  }

  private async confirm({ kind, columns, printed, state }: Pending): Promise<void> {
    const set = printed.flatMap(({ name, from }) => {
      const value = printedSql(from, quoted(name));
      return value === null ? [] : [`${quoted(name)} = ${value}`];
    });
    const load = kind === 'swap' ? { load: null } : {};
    await this.states.store({ state, columns, pending: null, ...load }, async () => {
      if (set.length > 0) await this.session.run(`UPDATE ${this.target} SET ${set.join(', ')}`);
    });
  }

  /** Drops tables of former loads, but none that another worker may use. The caller has the lock. */
  private async removeOthers(current: string | null): Promise<void> {
    for (const name of await listTables(this.session, this.prefix)) {
      const token = Number(name.slice(this.prefix.length).split('_')[0]);
      if (name === current || !(token <= this.states.claimed)) continue;
      await this.session.run(`DROP TABLE IF EXISTS ${quoted(name)}`);
    }
  }

  private find(name: string): Promise<FoundTable | null> {
    return findTable(this.session, name);
  }

  /** Returns the target table. */
  private async own(): Promise<FoundTable> {
    const found = await this.find(this.table.name);
    if (found?.comment.includes(this.table.id) !== true) throw missing();
    const column = MODE_COLUMNS[this.mode];
    if (column !== null && !found.types.has(column)) throw columnTypeChanged();
    return found;
  }

  /** Returns the target table, if there is one. */
  private async rejectForeignTable(): Promise<FoundTable | null> {
    const found = await this.find(this.table.name);
    if (!found || found.comment.includes(this.table.id)) return found;
    throw new DestinationError(
      'configuration',
      `The table "${this.table.name}" exists already, and this connection did not create it. Rename or drop it, or choose another name.`,
    );
  }
}

const missing = (): DestinationError =>
  new DestinationError('inconsistent', 'A table does not exist anymore.');
