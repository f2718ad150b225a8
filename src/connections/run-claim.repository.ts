import type { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { DestinationType } from '../destinations/destination';
import type { DestinationKinds } from '../destinations/destination-kinds';
import { type Claim, LEASE_MS } from './run-claim';
import type { DueRun } from './run-slots';

/** Where claims of one sort are stored: of tables, or of scheduled imports. The table has the alias `w`. */
export interface ClaimForm {
  readonly table: 'connection_tables' | 'scheduled_imports';
  /** Whether a destination that only one process can have open has one claim of this sort at a time. */
  readonly isExclusive: boolean;
  /** Beginning of the names of the statements. */
  readonly prefix: string;
  /** What is due, besides that its time has come: a condition on columns of `w` and tables that it joins. */
  readonly due?: {
    readonly columns: string;
    readonly join: string;
    readonly condition: string;
  };
  /** Condition under which a worker can have a claim, besides those of `RUNNABLE_CONNECTIONS`. */
  readonly isEnabled?: string;
  /** Columns of `w`, of its connection `c` and of the claim (`started_at`) that a worker gets. */
  readonly columns: string;
}

/**
 * Connections `c` that are synced and read: enabled ones, of accounts that are not suspended. Citus
 * cannot change tables of the coordinator, such as these, in a statement that reads datagrids.
 */
export const RUNNABLE_CONNECTIONS =
  'connections c JOIN accounts a ON a.id = c.account_id AND c.enabled AND NOT a.suspended';

/**
 * Claims of one sort. Each has a token, which is higher than all before it, and ends by itself unless it
 * is extended. A statement on a claim changes nothing once the claim is lost.
 */
export class RunClaims<Claimed extends Claim> {
  private readonly due: Statement;
  private readonly claimChosen: Statement;
  private readonly extendOne: Statement;
  private readonly leaveOne: Statement;

  constructor(
    private readonly database: Database,
    private readonly kinds: DestinationKinds,
    private readonly form: ClaimForm,
  ) {
    this.due = dueStatement(form);
    this.claimChosen = claimStatement(form);
    this.extendOne = extendStatement(form);
    this.leaveOne = leaveStatement(form);
  }

  /** Types whose destinations have one claim of this sort at a time. */
  private get exclusiveTypes(): readonly DestinationType[] {
    return this.form.isExclusive ? this.kinds.exclusiveTypes : [];
  }

  /** Lists what is due and can be claimed, in the order of its time. @param perAccount Maximum number. */
  async listDue(perAccount: number): Promise<DueRun[]> {
    return this.database.run<DueRun>(this.due, [this.exclusiveTypes, perAccount]);
  }

  /** Claims what was chosen. What another worker has claimed meanwhile is missing. */
  async claim(chosen: readonly DueRun[]): Promise<Claimed[]> {
    if (chosen.length === 0) return [];
    const connectionIds = chosen.map(({ connectionId }) => connectionId);
    const ids = chosen.map(({ id }) => id);
    const values = [connectionIds, ids, this.exclusiveTypes, LEASE_MS];
    const claimAll = (): Promise<Claimed[]> => this.database.run<Claimed>(this.claimChosen, values);
    const exclusive = chosen.filter(({ isExclusive }) => isExclusive);
    if (exclusive.length === 0) return claimAll();
    return this.database.transaction(async () => {
      await this.database.run(LOCK, [exclusive.map(({ connectionId }) => connectionId)]);
      return claimAll();
    });
  }

  /** Extends a claim. @returns whether it still exists, and its connection may be used. */
  async extend(claim: Claim): Promise<boolean> {
    const values = [...keyOf(claim), LEASE_MS];
    return (await this.database.run(this.extendOne, values)).length > 0;
  }

  /** Ends a claim, and leaves the rest as it is. Others can claim it after a delay. */
  async leave(claim: Claim, delayMs: number): Promise<void> {
    await this.database.run(this.leaveOne, [...keyOf(claim), delayMs]);
  }
}

const keyOf = ({ connectionId, id, token }: Claim): unknown[] => [connectionId, id, token];

const andIf = (condition: string | undefined): string =>
  condition === undefined ? '' : `AND ${condition}`;

/**
 * Makes claims of tables of the same connections wait for each other. Neither would see the claim that the
 * other has not committed yet.
 */
const LOCK: Statement = {
  name: 'exclusive-connection-lock',
  text: 'SELECT FROM connections WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
};

/** Whether a destination can be opened. One of the types `types` has one sync at a time. */
const isFree = (types: string): string => `NOT (c.type = ANY(${types}::text[]) AND EXISTS (
  SELECT FROM connection_tables t WHERE t.connection_id = c.id AND t.leased_until > now()
))`;

/**
 * Reads the tables of the coordinator before those of datagrids, as Citus requires. What belongs to a
 * datagrid in the trash waits. If the datagrid is restored, it goes on.
 */
function dueStatement({ table, prefix, due, isEnabled }: ClaimForm): Statement {
  const { columns, join, condition } = due ?? {};
  return {
    name: `${prefix}-due`,
    text: `
      WITH w AS MATERIALIZED (
        SELECT w.connection_id, w.id, w.datagrid_id, w.next_run_at, c.account_id,
          c.type = ANY($1::text[]) AS is_exclusive ${columns === undefined ? '' : `, ${columns}`}
        FROM ${RUNNABLE_CONNECTIONS} JOIN ${table} w ON w.connection_id = c.id
        WHERE w.next_run_at <= now() AND w.leased_until <= now() ${andIf(isEnabled)}
          AND ${isFree('$1')}
      ), each AS (
        SELECT w.connection_id, w.id, w.account_id, w.next_run_at, w.is_exclusive,
          row_number() OVER (PARTITION BY w.connection_id ORDER BY w.next_run_at, w.id) AS nth
        FROM w JOIN datagrids d ON d.id = w.datagrid_id AND d.deleted_at IS NULL ${join ?? ''}
        WHERE ${condition ?? 'true'}
      ), ranked AS (
        SELECT each.*,
          row_number() OVER (PARTITION BY each.account_id ORDER BY each.next_run_at, each.id) AS rank
        FROM each WHERE each.nth = 1 OR NOT each.is_exclusive
      )
      SELECT connection_id AS "connectionId", id, account_id AS "accountId",
        is_exclusive AS "isExclusive"
      FROM ranked
      WHERE rank <= $2 ORDER BY next_run_at, id`,
  };
}

function claimStatement({ table, prefix, isEnabled, columns }: ClaimForm): Statement {
  return {
    name: `${prefix}-claim`,
    text: `
      WITH claimed AS (
        SELECT w.connection_id, w.id, now() AS started_at
        FROM unnest($1::uuid[], $2::uuid[]) AS chosen(connection_id, id)
        JOIN ${table} w USING (connection_id, id)
        JOIN (${RUNNABLE_CONNECTIONS}) ON c.id = w.connection_id
        WHERE w.leased_until <= now() ${andIf(isEnabled)} AND ${isFree('$3')}
        FOR UPDATE OF w SKIP LOCKED
      )
      UPDATE ${table} w
      SET token = w.token + 1, leased_until = now() + $4::int * interval '1 ms'
      FROM claimed, connections c
      WHERE w.connection_id = claimed.connection_id AND w.id = claimed.id
        AND c.id = w.connection_id
      RETURNING w.connection_id AS "connectionId", w.id, w.token, w.datagrid_id AS "datagridId",
        c.account_id AS "accountId", c.type, c.settings, c.secret, ${columns}`,
  };
}

function extendStatement({ table, prefix, isEnabled }: ClaimForm): Statement {
  return {
    name: `${prefix}-extend`,
    text: `
      UPDATE ${table} w SET leased_until = now() + $4::int * interval '1 ms'
      FROM ${RUNNABLE_CONNECTIONS}
      WHERE w.connection_id = $1 AND w.id = $2 AND w.token = $3 AND c.id = w.connection_id
        ${andIf(isEnabled)}
      RETURNING 1`,
  };
}

function leaveStatement({ table, prefix }: ClaimForm): Statement {
  return {
    name: `${prefix}-leave`,
    text: `
      UPDATE ${table} w
      SET leased_until = now(), next_run_at = now() + $4::bigint * interval '1 ms'
      WHERE w.connection_id = $1 AND w.id = $2 AND w.token = $3`,
  };
}
