import {
  DestinationError,
  FencedError,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetType,
} from '../destination';
import { createStates, STATE_TABLE } from './mysql-catalog.repository';
import { invalidValue } from './mysql-error';
import type { MysqlSession, StatementSize } from './mysql-session.repository';
import { DATA_TYPES, literal } from './mysql-sql';

/** Limit of one state, which has the columns of the table up to four times. */
const ONE_STATE = { columns: 5, rows: 1, bytes: 8 * 1024 * 1024 } as const;
/** Each claim adds one to the token, so that a higher one is not of a sync. */
const MAX_TOKEN = 2 ** 33;

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
  private maxToken = MAX_TOKEN;

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
    this.maxToken = Math.max(MAX_TOKEN, token);
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
      if (id !== null && !/^\d{1,20}$/.test(id)) throw invalidValue('IS_USED_LOCK');
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
    const [found] = await this.session.query(
      `SELECT token, state, columns, load_table, pending
      FROM ${STATE_TABLE} WHERE id = ${this.key} ${suffix}`,
      ONE_STATE,
    );
    if (!found) return null;
    const [token, state = null, columns = null, load = null, pending = null] = found;
    return {
      token: this.tokenOf(token),
      state,
      columns: parsed('columns', columns, isColumns),
      load,
      pending: parsed('pending', pending, isPending),
    };
  }

  private tokenOf(text: string | null | undefined): number {
    const token = Number(text);
    if (!/^\d+$/.test(text ?? '') || token > this.maxToken) throw invalidState('token');
    return token;
  }
}

/** Reads a stored JSON value. */
function parsed<T>(
  column: string,
  text: string | null,
  isValid: (value: unknown) => value is T,
): T | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidState(`value of ${column}`);
  }
  if (!isValid(value)) throw invalidState(`value of ${column}`);
  return value;
}

type Fields<T> = Readonly<Partial<Record<keyof T, unknown>>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isType = (value: unknown): value is TargetType =>
  isText(value) && Object.hasOwn(DATA_TYPES, value);

function isColumns(value: unknown): value is readonly TargetColumn[] {
  return (
    Array.isArray(value) &&
    value.every((column: unknown) => {
      if (!isObject(column)) return false;
      const { id, name, type } = column as Fields<TargetColumn>;
      return Number.isSafeInteger(id) && isText(name) && isType(type);
    })
  );
}

function isPending(value: unknown): value is Pending {
  if (!isObject(value)) return false;
  const { kind, version, statement, load, old, columns, printed, state } = value as Fields<Pending>;
  return (
    (kind === 'swap' || kind === 'columns') &&
    [version, statement, state].every(isText) &&
    [load, old].every(isTextOrNull) &&
    isColumns(columns) &&
    Array.isArray(printed) &&
    printed.every((column: unknown) => {
      if (!isObject(column)) return false;
      const { name, from } = column as Fields<Pending['printed'][number]>;
      return isText(name) && isType(from);
    })
  );
}

function invalidState(what: string): DestinationError {
  return new DestinationError(
    'configuration',
    `The table _datagrid_sync of the database has a ${what} that is not valid. Drop that table. All tables of its connections are then loaded again.`,
  );
}

function busy(): DestinationError {
  return new DestinationError(
    'unavailable',
    'A statement of an earlier sync of this table is still running.',
  );
}
