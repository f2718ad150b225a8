import {
  DestinationError,
  FencedError,
  type SyncState,
  type TargetColumn,
  type TargetTable,
} from '../destination';
import { createStates, STATE_TABLE } from './snowflake-catalog.repository';
import type { SnowflakeSession } from './snowflake-session.repository';
import { DATA_TYPES, literal } from './snowflake-sql';

/** Limit of one state, which has the columns of the table up to twice. */
const ONE_STATE = { columns: 6, rows: 100, bytes: 8 * 1024 * 1024 } as const;
/** Each claim adds one to the token, so that a higher one is not of a sync. */
const MAX_TOKEN = 2 ** 33;
/** Number of other claims at the same time after which one fails. */
const MAX_TURNS = 5;

/** The stored state of a table. */
export interface StoredTable {
  readonly token: number;
  readonly state: SyncState | null;
  /** Name of the table with the rows; `null` if no load was finished. */
  readonly data: string | null;
  /** Its columns of the datagrid. */
  readonly columns: readonly TargetColumn[];
  /** Name of the table that the view was made for. */
  readonly viewOf: string | null;
  /** Name of the table of the load; `null` if none is in progress. */
  readonly load: string | null;
}

/** What a change stores together with the rows. */
export type StoredChange = Partial<Omit<StoredTable, 'token'>>;

const COLUMNS = {
  state: 'STATE',
  data: 'DATA_TABLE',
  columns: 'DATA_COLUMNS',
  viewOf: 'VIEW_OF',
  load: 'LOAD_TABLE',
} as const satisfies Record<keyof StoredChange, string>;

/**
 * The stored state of one table. A transaction writes it last, with the condition that its claim is
 * the highest one, so that it has a lock on the states for a short time.
 */
export class SnowflakeStates {
  private readonly key: string;
  private token = 0;
  private maxToken = MAX_TOKEN;

  constructor(
    private readonly session: SnowflakeSession,
    private readonly table: TargetTable,
  ) {
    this.key = literal(table.id);
  }

  /** Token of the claim. */
  get claimed(): number {
    return this.token;
  }

  /**
   * Claims the table. Snowflake does not enforce unique keys: of two rows, that with the higher token
   * counts.
   * @throws FencedError if the table was claimed with the same or a higher token.
   */
  async claim(token: number): Promise<StoredTable> {
    this.maxToken = Math.max(MAX_TOKEN, token);
    await createStates(this.session);
    const name = literal(this.table.name);
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const before = await this.find();
      if (before && before.token >= token) throw new FencedError(before.token);
      await this.session.run(
        before
          ? `UPDATE ${STATE_TABLE} SET TOKEN = ${String(token)}, TABLE_NAME = ${name}
             WHERE ID = ${this.key} AND TOKEN = ${String(before.token)}`
          : `INSERT INTO ${STATE_TABLE} (ID, TABLE_NAME, TOKEN)
             SELECT ${this.key}, ${name}, ${String(token)}
             WHERE NOT EXISTS (SELECT 1 FROM ${STATE_TABLE} WHERE ID = ${this.key})`,
      );
      const after = await this.find();
      if (after?.token === token) {
        this.token = token;
        return after;
      }
      if (after && after.token > token) throw new FencedError(after.token);
    }
    throw new DestinationError(
      'unavailable',
      'Other syncs claim this table at the same time. If this happens again, another installation of the service writes to it: pause one of the connections.',
    );
  }

  /** Returns the state, if the claim is still valid. @throws FencedError */
  async current(): Promise<StoredTable> {
    const stored = await this.find();
    if (stored?.token !== this.token) throw new FencedError(stored?.token ?? 0);
    return stored;
  }

  /** Runs `work` and stores a change in one transaction, if the claim is still valid. */
  async store(change: StoredChange, work?: () => Promise<void>): Promise<void> {
    const entries = Object.entries(change).map(([name, value]) => {
      const text = typeof value === 'string' || value === null ? value : JSON.stringify(value);
      return [COLUMNS[name as keyof StoredChange], text] as const;
    });
    const set = entries.map(([column, text]) => `${column} = ${text === null ? 'NULL' : '?'}`);
    const binds = entries.flatMap(([, text]) => text ?? []);
    await this.session.transaction(async () => {
      await work?.();
      const count = await this.session.run(
        `UPDATE ${STATE_TABLE} SET ${[...set, 'UPDATED_AT = CURRENT_TIMESTAMP()'].join(', ')}
         WHERE ID = ${this.key} AND TOKEN = ${String(this.token)}
           AND TOKEN = (SELECT MAX(TOKEN) FROM ${STATE_TABLE} WHERE ID = ${this.key})`,
        binds,
      );
      if (count > 0) return;
      const found = await this.find();
      throw new FencedError(found?.token ?? 0);
    });
  }

  /** Removes the state. */
  async remove(): Promise<void> {
    await this.session.run(`DELETE FROM ${STATE_TABLE}
      WHERE ID = ${this.key} AND TOKEN <= ${String(this.token)}`);
  }

  private async find(): Promise<StoredTable | null> {
    const rows = await this.session.query(
      `SELECT TO_VARCHAR(TOKEN), STATE, DATA_TABLE, DATA_COLUMNS, VIEW_OF, LOAD_TABLE
       FROM ${STATE_TABLE} WHERE ID = ${this.key}`,
      [],
      ONE_STATE,
    );
    const found = rows
      .map(([token, state = null, data = null, columns = null, viewOf = null, load = null]) => ({
        token: this.tokenOf(token),
        state,
        data,
        columns: columnsIn(columns),
        viewOf,
        load,
      }))
      .sort((one, other) => other.token - one.token);
    return found[0] ?? null;
  }

  private tokenOf(text: string | null | undefined): number {
    const token = Number(text);
    if (!/^\d+$/.test(text ?? '') || token > this.maxToken) throw invalidState('token');
    return token;
  }
}

function columnsIn(text: string | null): readonly TargetColumn[] {
  if (text === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidState('list of columns');
  }
  if (!Array.isArray(value) || !value.every(isColumn)) throw invalidState('list of columns');
  return value;
}

function isColumn(value: unknown): value is TargetColumn {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, type } = value as Partial<Record<keyof TargetColumn, unknown>>;
  return (
    Number.isSafeInteger(id) &&
    typeof name === 'string' &&
    typeof type === 'string' &&
    Object.hasOwn(DATA_TYPES, type)
  );
}

function invalidState(what: string): DestinationError {
  return new DestinationError(
    'configuration',
    `The table _datagrid_sync of the schema has a ${what} that is not valid. Drop that table. All tables of its connections are then loaded again.`,
  );
}
