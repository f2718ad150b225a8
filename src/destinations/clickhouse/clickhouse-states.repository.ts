import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../common/text/id';
import { DestinationError, FencedError, type SyncState, type TargetTable } from '../destination';
import { ClickhouseException } from './clickhouse-error';
import { layoutOf, type Layout, NO_LAYOUT } from './clickhouse-layout';
import type { ClickhouseSession } from './clickhouse-session';
import {
  createDataSql,
  inputSql,
  literal,
  quoted,
  type StoredColumn,
  THROWN,
  uint128,
  valuesSql,
} from './clickhouse-sql';
import { checkedToken, positionOf, stateOf, textOf } from './clickhouse-values';

/** Table with the states of all tables of a database. */
export const STATE_TABLE = '_datagrid_sync';

/** Bits of a position: incarnation, token, step. */
const TOKEN_BITS = 56n;
const STEP_BITS = 40n;
/** Maximum time for which a claim waits for statements of a former worker, and how often it looks. */
const WAIT_MS = 60_000;
const LOOK_MS = 250;

/** What the table of states knows of a target table. */
export interface StoredState {
  readonly state: SyncState | null;
  readonly layout: Layout;
}

/** Response with a state and a layout. */
const STATE_LIMITS = { rows: 2, bytes: 24 * 1024 * 1024 };

interface StateRow {
  readonly position: bigint;
  readonly state: string | null;
  readonly layout: string;
}

/**
 * The claim and the states of one target table. ClickHouse has no transactions: rows are only
 * inserted, and the one with the highest position counts. A position consists of an incarnation,
 * which begins when the table is dropped, of the token of the claim, and of a step.
 *
 * Each insert checks the claim in the same statement. A new claim waits until statements that have
 * begun before it are over, and reads the state afterwards. So an earlier worker changes nothing once
 * a claim has returned.
 */
export class ClickhouseStates {
  token = 0;
  /** Number of the last step of this claim. */
  step = 0;
  private incarnation = 0n;
  private readonly states: string;
  private readonly id: string;

  constructor(
    private readonly session: ClickhouseSession,
    private readonly database: string,
    private readonly table: TargetTable,
  ) {
    this.states = `${quoted(database)}.${STATE_TABLE}`;
    this.id = `toUUID(${literal(table.id)})`;
  }

  /** @returns the state before the claim. @throws FencedError */
  async claim(token: number): Promise<StoredState> {
    await createStates(this.session, this.database);
    const { top, state: before } = await this.read();
    this.incarnation = top >> (TOKEN_BITS + STEP_BITS);
    if (before?.layout === DROPPED && before.position === top) this.incarnation += 1n;
    else this.rejectFrom(token, top);
    this.token = token;
    this.step = 0;
    await this.session.run(`
      INSERT INTO ${this.states} (id, kind, position, table_name)
      SELECT ${this.id}, 'claim', ${uint128(this.position)}, ${literal(this.table.name)}`);
    await this.waitForOthers();
    const { top: now, state: found } = await this.read();
    if (now !== this.position) throw new FencedError(tokenOf(now));
    if (!found || found.layout === DROPPED) return { state: null, layout: NO_LAYOUT };
    return { state: found.state, layout: layoutOf(found.layout) };
  }

  /** A condition that is true, and throws if the claim is not valid anymore. */
  get condition(): string {
    const claim = `SELECT bitShiftRight(max(position), ${STEP_BITS.toString()})
      FROM ${this.states} WHERE id = ${this.id}`;
    const own = uint128(this.position >> STEP_BITS);
    return `throwIf((${claim}) != ${own}, ${literal(THROWN.fenced)}) = 0`;
  }

  /** Position of the last step. Rises with every step of every worker. */
  get position(): bigint {
    const claim = (this.incarnation << TOKEN_BITS) + BigInt(this.token);
    return (claim << STEP_BITS) + BigInt(this.step);
  }

  /** Begins a step. @returns its position. */
  next(): bigint {
    this.step += 1;
    return this.position;
  }

  /** Stores a state, if the claim is still valid. @param condition Condition that includes `condition`. */
  save({ state, layout }: StoredState, condition = this.condition): Promise<void> {
    return this.insert(state, JSON.stringify(layout), condition);
  }

  /** Removes the state. A row stays, so that an earlier worker cannot bring it back. */
  drop(): Promise<void> {
    return this.insert(null, DROPPED, this.condition);
  }

  /** @throws FencedError if the claim is not valid anymore. */
  async check(): Promise<void> {
    await this.guard(() => this.session.query(`SELECT 1 WHERE ${this.condition}`));
  }

  /** Runs statements with the condition. Turns the exceptions that they throw by themselves. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof ClickhouseException) || cause.code !== THROW_IF) throw error;
      if (cause.message.includes(THROWN.fenced)) {
        throw new FencedError(tokenOf((await this.read()).top));
      }
      if (cause.message.includes(THROWN.missing)) {
        throw new DestinationError('inconsistent', 'A table does not exist anymore.', { cause });
      }
      throw new DestinationError(
        'configuration',
        'This version of ClickHouse cannot store times before 1900 or after 2299. Update ClickHouse, or choose columns without such times.',
        { cause },
      );
    }
  }

  /** Returns an id for a statement that changes the table. Claims wait for it. */
  newQueryId(): string {
    return `${this.queryPrefix}${newId()}`;
  }

  private get queryPrefix(): string {
    return `datagrid-${this.table.id}-`;
  }

  private async insert(state: SyncState | null, layout: string, condition: string): Promise<void> {
    const position = this.next();
    const value = state === null ? 'NULL' : literal(state);
    await this.guard(() =>
      this.session.run(
        `INSERT INTO ${this.states} (id, kind, position, table_name, state, layout)
        SELECT ${this.id}, 'state', ${uint128(position)}, ${literal(this.table.name)},
          ${value}, ${literal(layout)}
        WHERE ${condition}`,
        'part',
        this.newQueryId(),
      ),
    );
  }

  private rejectFrom(token: number, top: bigint): void {
    if (tokenOf(top) >= token) throw new FencedError(tokenOf(top));
  }

  /** Reads the highest position, and the highest row with a state. */
  private async read(): Promise<{ top: bigint; state: StateRow | undefined }> {
    const rows = await this.session.query(
      `SELECT kind, toString(position) AS position, state, layout
      FROM ${this.states} AS s WHERE id = ${this.id}
      ORDER BY s.position DESC LIMIT 1 BY kind`,
      'part',
      STATE_LIMITS,
    );
    const positions = rows.map(positionOf);
    const top = positions.reduce((one, other) => (one > other ? one : other), 0n);
    checkedToken(tokenBitsOf(top));
    const row = rows.find(({ kind }) => kind === 'state');
    if (!row) return { top, state: undefined };
    const state = { position: positionOf(row), state: stateOf(row), layout: textOf(row, 'layout') };
    return { top, state };
  }

  /** Waits for statements of former workers that have begun before the claim. */
  private async waitForOthers(): Promise<void> {
    const untilMs = performance.now() + WAIT_MS;
    for (;;) {
      const running = await this.session.query(`
        SELECT query_id FROM system.processes
        WHERE startsWith(query_id, ${literal(this.queryPrefix)})`);
      if (running.length === 0) return;
      if (performance.now() > untilMs) {
        const message = 'A statement of an earlier sync of this table is still running.';
        throw new DestinationError('unavailable', message);
      }
      await sleep(LOOK_MS);
    }
  }
}

/** Code of the exception that `throwIf` throws. */
const THROW_IF = 395;
const DROPPED = 'dropped';

const tokenBitsOf = (position: bigint): bigint =>
  (position >> STEP_BITS) & ((1n << TOKEN_BITS) - 1n);

const tokenOf = (position: bigint): number => checkedToken(tokenBitsOf(position));

/** Creates the table of states, if it does not exist. */
export async function createStates(session: ClickhouseSession, database: string): Promise<void> {
  await session.run(`
    CREATE TABLE IF NOT EXISTS ${quoted(database)}.${STATE_TABLE} (
      id UUID,
      kind String,
      position UInt128,
      table_name String,
      state Nullable(String),
      layout String,
      written_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
    ) ENGINE = ReplacingMergeTree(position) ORDER BY (id, kind)`);
}

/** Does what a sync does, with tables that it drops again. */
export async function testRights(session: ClickhouseSession, database: string): Promise<void> {
  const name = `_datagrid_test_${newId().replaceAll('-', '')}`;
  const table = `${quoted(database)}.${name}`;
  const view = `${table}_view`;
  const columns: StoredColumn[] = [{ id: 1, name: 'c1', type: 'text', stored: 'c1' }];
  await createStates(session, database);
  await session.query('SELECT count() FROM system.processes');
  await session.run(createDataSql(table, columns, 'delete'));
  try {
    await session.insert(
      `INSERT INTO ${table} (_id, _revision, _version, _deleted, c1)
      SELECT _id, _revision, toUInt128(1), 0${valuesSql(columns)} FROM ${inputSql(columns, false)}`,
      Readable.from([Buffer.from('1,1,text\n')]),
      newId(),
    );
    await session.run(`ALTER TABLE ${table} DROP COLUMN c1`);
    await session.run(
      `CREATE OR REPLACE VIEW ${view} AS SELECT _id FROM ${table} FINAL COMMENT 'test'`,
    );
    await session.query(`SELECT _id FROM ${view}`);
    await session.run(`DROP VIEW ${view}`);
  } finally {
    await session.run(`DROP TABLE ${table}`);
  }
}
