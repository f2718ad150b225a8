import { currentTimings, type RequestTimings } from '../time/request-timings';
import type { Statement, TextResults, TextRow } from './text-query';

/**
 * Maximum number of calls that share a message exchange. With more, the service and PostgreSQL wait for
 * each other, and PostgreSQL uses fewer of its cores.
 */
const MAX_BATCH = 5;
/** Maximum number of rows of such calls together. The exchange is a small part of the cost of more. */
const MAX_BATCH_ROWS = 100;

/** What decides which calls may share a message exchange. */
export interface Sharing {
  /** Account that makes the call. */
  readonly accountId: string;
  /** Number of rows that the statement reads. */
  readonly rows: number;
}

/** Calls of one account that are sent together. */
export interface SharedExchange {
  readonly accountId: string;
  readonly statement: Statement;
  /** Parameters of each call. */
  readonly valuesOfEach: readonly (readonly unknown[])[];
  /** Timings of the requests that made the calls, if they are collected. */
  readonly timings: readonly RequestTimings[];
}

interface Call extends Sharing {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly timings: RequestTimings | undefined;
  readonly resolve: (row: TextRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends calls of the same statement and account that arrive in one turn of the event loop as one
 * message exchange. Under load, most of the cost of a short statement is the exchange, on both sides.
 * Calls of different accounts never share one, because a slow execution delays those after it.
 */
export class TextBatcher {
  /** Calls by statement and account. */
  private waiting = new Map<string, Call[]>();

  /** @param exchange Sends calls, and returns their results. If it throws, all of its calls fail. */
  constructor(private readonly exchange: (calls: SharedExchange) => Promise<TextResults>) {}

  /**
   * Runs a statement that only reads and returns at most one row.
   * @returns `undefined` if there is no row.
   */
  run(
    statement: Statement,
    values: readonly unknown[],
    { accountId, rows }: Sharing,
  ): Promise<TextRow | undefined> {
    const timings = currentTimings();
    return new Promise((resolve, reject) => {
      // All requests that have arrived are handled before the callbacks of `setImmediate`.
      if (this.waiting.size === 0) setImmediate(this.sendAll);
      const key = `${statement.name} ${accountId}`;
      const calls = this.waiting.get(key);
      const call = { accountId, statement, values, rows, timings, resolve, reject };
      if (calls) calls.push(call);
      else this.waiting.set(key, [call]);
    });
  }

  private readonly sendAll = (): void => {
    const waiting = this.waiting;
    this.waiting = new Map();
    for (const calls of waiting.values()) {
      for (const batch of batchesOf(calls)) void this.send(batch);
    }
  };

  private async send(calls: readonly Call[]): Promise<void> {
    const [first] = calls;
    if (!first) return;
    const { accountId, statement } = first;
    try {
      const { rows, error } = await this.exchange({
        accountId,
        statement,
        valuesOfEach: calls.map(({ values }) => values),
        timings: calls.flatMap(({ timings }) => timings ?? []),
      });
      rows.forEach((row, n) => calls[n]?.resolve(row));
      if (!error) return;
      const [failed, ...skipped] = calls.slice(rows.length);
      failed?.reject(error);
      // The failure belongs to one call. PostgreSQL has not run the others.
      for (const call of skipped) void this.send([call]);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }
}

function batchesOf(calls: readonly Call[]): Call[][] {
  const batches: Call[][] = [];
  let batch: Call[] = [];
  let batchRows = 0;
  for (const call of calls) {
    const isFull = batch.length === MAX_BATCH || batchRows + call.rows > MAX_BATCH_ROWS;
    if (batch.length === 0 || isFull) {
      batch = [];
      batchRows = 0;
      batches.push(batch);
    }
    batch.push(call);
    batchRows += call.rows;
  }
  return batches;
}
