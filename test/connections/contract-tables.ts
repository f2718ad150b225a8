import { randomUUID } from 'node:crypto';
import type {
  DeletionMode,
  Destination,
  SyncState,
  TargetColumn,
  TargetTable,
  TargetWriter,
} from '../../src/destinations/destination';
import { type Cell, csv } from './contract-lines';

/** A row of a target table, as a reader of the destination sees it, without `_synced_at`. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** A destination under test, with direct access to what it holds. */
export interface DestinationUnderTest {
  readonly destination: Destination;
  /** Whether the state is in the target table, so that it is gone with it. */
  readonly dropsStates?: boolean;
  /**
   * Returns the rows of a table in order of their ids; `null` if there is no such table. Integers up
   * to 2^53 and doubles are numbers, decimals are texts, dates and times are ISO texts in UTC with
   * milliseconds, and JSON is parsed. `_deleted_at` is `true` if it has a value, and otherwise absent.
   */
  read(table: string): Promise<readonly ReadRow[] | null>;
  /**
   * Returns all versions of rows of a table of mode `history`, in any order and in the form of `read`,
   * with `_synced_at` and `_valid_to` as times, or `null`. Missing if the kind lacks this mode.
   */
  readVersions?(table: string): Promise<readonly ReadRow[]>;
  /** Drops a table, as its owner could. */
  dropTable(table: string): Promise<void>;
  /** Creates a table with an integer column `id` and one row, which has nothing to do with syncs. */
  createTable(table: string): Promise<void>;
  close(): Promise<void>;
}

/** Columns whose values some destinations have as texts of JSON. */
export const JSON_COLUMNS: readonly string[] = ['tags', 'details'];

/** A column of each type. */
export const COLUMNS = {
  name: { id: 1, name: 'name', type: 'text' },
  count: { id: 2, name: 'count', type: 'integer' },
  ratio: { id: 3, name: 'ratio', type: 'double' },
  price: { id: 4, name: 'price', type: 'decimal' },
  done: { id: 5, name: 'done', type: 'boolean' },
  day: { id: 6, name: 'day', type: 'date' },
  at: { id: 7, name: 'at', type: 'timestamp' },
  tags: { id: 8, name: 'tags', type: 'json' },
} satisfies Record<string, TargetColumn>;

export const ALL = Object.values(COLUMNS);
export const { name, count } = COLUMNS;
export const TWO = [name, count];

/** Tables of a destination under test, and their writers. */
export class ContractTables {
  private started: DestinationUnderTest | undefined;
  private serial = 0;
  private readonly writers = new Set<TargetWriter>();

  get under(): DestinationUnderTest {
    if (!this.started) throw new Error('The destination has not started.');
    return this.started;
  }

  /** Starts the destination before the tests, and closes it and its writers after them. */
  use(start: () => Promise<DestinationUnderTest>): void {
    beforeAll(async () => {
      this.started = await start();
    });

    afterEach(async () => {
      for (const writer of this.writers) await writer.close();
      this.writers.clear();
    });

    afterAll(() => this.started?.close());
  }

  /** Returns another table, which does not exist yet. */
  readonly newTable = (deletions: DeletionMode = 'delete'): TargetTable => {
    this.serial += 1;
    return { id: randomUUID(), name: `table_${String(this.serial)}`, deletions };
  };

  readonly open = async (table: TargetTable): Promise<TargetWriter> => {
    const writer = await this.under.destination.open(table);
    this.writers.add(writer);
    return writer;
  };

  readonly close = async (writer: TargetWriter): Promise<void> => {
    this.writers.delete(writer);
    await writer.close();
  };

  /** Loads a table in one part. The writer keeps the claim with token 1. */
  readonly load = async (
    table: TargetTable,
    columns: readonly TargetColumn[],
    rows: readonly (readonly Cell[])[],
  ): Promise<TargetWriter> => {
    const writer = await this.open(table);
    await writer.claim(1);
    await writer.beginLoad(columns, 'begun');
    await writer.append(columns, csv(rows), 'appended');
    await writer.finishLoad(columns, 'loaded');
    return writer;
  };

  /** Closes a writer and claims its table again. @returns the state of the table. */
  readonly stateOf = async (
    writer: TargetWriter,
    table: TargetTable,
    token: number,
  ): Promise<SyncState | null> => {
    await this.close(writer);
    const next = await this.open(table);
    return next.claim(token);
  };
}
