import {
  DestinationError,
  FencedError,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetType,
} from '../destination';
import { createStates, STATE_TABLE } from './mysql-catalog.repository';
import type { MysqlSession, StatementSize } from './mysql-session.repository';
import { literal } from './mysql-sql';

/** Time that a killed session has to end, and that another change of the table may take. */
const LOCK_SECONDS = 30;
/** After this time, a claim looks again at who has the lock. */
const LOCK_TURN_SECONDS = 2;

/**
 * A change of tables that is stored before it begins. MySQL commits each of its statements at once, so
 * whoever finds it stored either completes it or removes it.
 */
export interface Pending {
  /** `swap`: a load becomes the target table. `columns`: columns of the target table change. */
  readonly kind: 'swap' | 'columns';
  /** The comment of the target table has this text once the change is made. */
  readonly version: string;
  /** The statement that makes the change. */
  readonly statement: string;
  /** Name of the table of the load; `null` if the columns change. */
  readonly load: string | null;
  /** Name that the former target table gets; `null` if there is none, or the columns change. */
  readonly old: string | null;
  /** Columns of the target table afterwards. */
  readonly columns: readonly TargetColumn[];
  /** Columns that became texts, with their former type. Their values are then printed anew. */
  readonly printed: readonly { readonly name: string; readonly from: TargetType }[];
  /** State afterwards. */
  readonly state: SyncState;
}

/** The stored state of a table. */
export interface StoredTable {
  readonly token: number;
  readonly state: SyncState | null;
  /** Columns of the target table; `null` if no load was finished. */
  readonly columns: readonly TargetColumn[] | null;
  /** Name of the table of the load; `null` if none is in progress. */
  readonly load: string | null;
  readonly pending: Pending | null;
}

/** What a change stores together with the rows. */
export type StoredChange = Partial<Omit<StoredTable, 'token'>>;

const valueSql = (value: string | number | null): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : literal(value);

const jsonSql = (value: unknown): string =>
  value === null ? 'NULL' : literal(JSON.stringify(value));

/**
 * The stored state of one table. Changes run under a lock of the server that belongs to the session.
 * A claim ends the session that has the lock, so that none of its statements can come later.
 */
export class MysqlStates {
  private readonly key: string;
  private readonly lock: string;
  private token = 0;

  constructor(
    private readonly session: MysqlSession,
    private readonly table: TargetTable,
  ) {
    this.key = literal(table.id);
    this.lock = literal(`datagrid.${table.id.replaceAll('-', '')}`);
  }

  /** Token of the claim. */
  get claimed(): number {
    return this.token;
  }

  /**
   * Claims the table, and then runs `work` under the lock.
   * @throws FencedError if the table was claimed with the same or a higher token.
   */
  async claim(token: number, work: (stored: StoredTable) => Promise<void>): Promise<void> {
    await createStates(this.session);
    const before = await this.find('');
    if (before && before.token >= token) throw new FencedError(before.token);
    if (!before) {
      await this.session.run(`INSERT IGNORE INTO ${STATE_TABLE} (id, table_name, token)
        VALUES (${this.key}, ${literal(this.table.name)}, 0)`);
    }
    await this.takeLock(token);
    try {
      const stored = await this.session.transaction(async () => {
        const found = await this.find('FOR UPDATE');
        if (!found || found.token >= token) throw new FencedError(found?.token ?? 0);
        await this.session.run(`UPDATE ${STATE_TABLE} SET token = ${String(token)},
          table_name = ${literal(this.table.name)} WHERE id = ${this.key}`);
        return { ...found, token };
      });
      this.token = token;
      await work(stored);
    } finally {
      await this.release();
    }
  }

  /**
   * Runs `work` under the lock, if the claim is still valid.
   * @throws FencedError if another worker has claimed the table.
   */
  async locked<T>(size: StatementSize, work: (stored: StoredTable) => Promise<T>): Promise<T> {
    await this.session.limit(size);
    const [found] = await this.session.query(
      `SELECT GET_LOCK(${this.lock}, ${String(LOCK_SECONDS)})`,
    );
    if (found?.[0] !== '1') throw busy();
    try {
      const stored = await this.find('');
      if (stored?.token !== this.token) throw new FencedError(stored?.token ?? 0);
      return await work(stored);
    } finally {
      await this.release();
    }
  }

  /**
   * Runs `work` and stores a change in one transaction, if the claim is still valid. The caller has the
   * lock.
   */
  async store(change: StoredChange, work?: () => Promise<void>): Promise<void> {
    await this.session.transaction(async () => {
      const stored = await this.find('FOR UPDATE');
      if (stored?.token !== this.token) throw new FencedError(stored?.token ?? 0);
      await work?.();
      const { state, columns, load, pending } = change;
      const set = [
        ...(state === undefined ? [] : [`state = ${valueSql(state)}`]),
        ...(columns === undefined ? [] : [`columns = ${jsonSql(columns)}`]),
        ...(load === undefined ? [] : [`load_table = ${valueSql(load)}`]),
        ...(pending === undefined ? [] : [`pending = ${jsonSql(pending)}`]),
        'updated_at = NOW(3)',
      ];
      await this.session.run(`UPDATE ${STATE_TABLE} SET ${set.join(', ')} WHERE id = ${this.key}`);
    });
  }

  /** Removes the state. */
  async remove(): Promise<void> {
    await this.session.run(`DELETE FROM ${STATE_TABLE}
      WHERE id = ${this.key} AND token = ${String(this.token)}`);
  }

  /** Takes the lock. Ends the session of a worker that has it, which may be frozen. */
  private async takeLock(token: number): Promise<void> {
    const until = performance.now() + LOCK_SECONDS * 1_000;
    for (;;) {
      const [holder] = await this.session.query(`SELECT IS_USED_LOCK(${this.lock})`);
      const id = holder?.[0] ?? null;
      // The session may have ended meanwhile, or may belong to another user, whose time is limited.
      if (id !== null) await this.session.run(`KILL ${id}`).catch(() => undefined);
      const [taken] = await this.session.query(
        `SELECT GET_LOCK(${this.lock}, ${String(LOCK_TURN_SECONDS)})`,
      );
      if (taken?.[0] === '1') return;
      const stored = await this.find('');
      if (stored && stored.token >= token) throw new FencedError(stored.token);
      if (performance.now() > until) throw busy();
    }
  }

  private async release(): Promise<void> {
    // If the connection is lost, the server releases the lock.
    await this.session.query(`SELECT RELEASE_LOCK(${this.lock})`).catch(() => undefined);
  }

  private async find(suffix: '' | 'FOR UPDATE'): Promise<StoredTable | null> {
    const [found] = await this.session.query(`SELECT token, state, columns, load_table, pending
      FROM ${STATE_TABLE} WHERE id = ${this.key} ${suffix}`);
    if (!found) return null;
    const [token, state = null, columns = null, load = null, pending = null] = found;
    return {
      token: Number(token),
      state,
      columns: columns === null ? null : (JSON.parse(columns) as readonly TargetColumn[]),
      load,
      pending: pending === null ? null : (JSON.parse(pending) as Pending),
    };
  }
}

function busy(): DestinationError {
  return new DestinationError(
    'unavailable',
    'A statement of an earlier sync of this table is still running.',
  );
}
