import { Injectable } from '@nestjs/common';
import { isQuotaExceeded } from '../../auth/quota/quota.service';
import type { Author, Writer } from '../../datagrids/change-log/change-log-sql';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import type { Created } from '../storage/row-json';
import { type AuthorRun, RowCreateRepository } from './row-create.repository';
import { isUniqueViolation } from './unique-conflict.repository';

/**
 * Maximum number of rows and UTF-16 code units per statement. A statement of this size holds the
 * datagrid's lock for some milliseconds.
 */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 1024 * 1024;

interface Waiter {
  /** The row's values by slot, as JSON text. */
  readonly json: string;
  readonly author: Author;
  readonly resolve: (created: Created | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates rows that arrive in separate requests, by group commit. Writes to a datagrid run one
 * after another in any case. So rows that arrive while a statement is in progress are inserted
 * together by the next statement and share its commit. Each row has its own id and revision, as if
 * it were inserted alone. A duplicate unique value or an exceeded quota fails only its own row. Any
 * other failure, such as a lost connection, fails all rows of the statement.
 */
@Injectable()
export class InsertBatcher {
  /** Waiting rows, for each version of a datagrid's columns that has a statement in progress. */
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(
    private readonly database: Database,
    private readonly creates: RowCreateRepository,
    private readonly quota: RowQuota,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Like `RowCreateRepository.create`, for one row. Inside a transaction, inserts the row at once.
   */
  async create(writer: Writer, schema: DatagridSchema, json: string): Promise<Created | null> {
    const { accountId } = writer;
    if (this.database.isInTransaction) {
      const row = { json: `[${json}]`, count: 1 };
      return this.quota.run(accountId, () => this.creates.create(schema, row, writer));
    }
    const key = `${schema.datagridId} ${String(schema.version)}`;
    return new Promise((resolve, reject) => {
      const waiter = { json, author: writer, resolve, reject };
      const waiting = this.waiting.get(key);
      if (waiting) waiting.push(waiter);
      else void this.serve(key, accountId, schema, waiter);
    });
  }

  private async serve(
    key: string,
    accountId: string,
    schema: DatagridSchema,
    first: Waiter,
  ): Promise<void> {
    const waiting: Waiter[] = [first];
    this.waiting.set(key, waiting);
    while (waiting.length > 0) await this.write(accountId, schema, take(waiting));
    this.waiting.delete(key);
  }

  private async write(
    accountId: string,
    schema: DatagridSchema,
    waiters: readonly Waiter[],
  ): Promise<void> {
    try {
      const json = `[${waiters.map((waiter) => waiter.json).join(',')}]`;
      const { length } = waiters;
      const runs = authorRuns(waiters);
      // One permit for all rows of the statement. Rows that arrive in the meantime wait
      // without a permit.
      const created = await this.gate.run(accountId, () =>
        this.quota.run(accountId, () =>
          this.creates.createEach(schema, { json, count: length }, runs),
        ),
      );
      for (const [index, { resolve }] of waiters.entries()) {
        resolve(created && createdAt(created, index, length));
      }
    } catch (error) {
      // One of several rows was rejected, and so none was inserted. Insert each row alone instead.
      if (waiters.length > 1 && (isUniqueViolation(error) || isQuotaExceeded(error))) {
        for (const waiter of waiters) await this.write(accountId, schema, [waiter]);
      } else {
        for (const { reject } of waiters) reject(error);
      }
    }
  }
}

/** Removes the rows of the next statement from the queue: at least one. */
function take(waiting: Waiter[]): Waiter[] {
  let [rows, characters] = [0, 0];
  for (const { json } of waiting) {
    characters += json.length;
    if (rows > 0 && (rows === MAX_ROWS || characters > MAX_CHARACTERS)) break;
    rows += 1;
  }
  return waiting.splice(0, rows);
}

/** Groups consecutive rows of the same author. */
function authorRuns(waiters: readonly Waiter[]): AuthorRun[] {
  const runs: { count: number; readonly author: Author }[] = [];
  for (const { author } of waiters) {
    const last = runs.at(-1);
    if (last && isSameAuthor(last.author, author)) last.count += 1;
    else runs.push({ count: 1, author });
  }
  return runs;
}

function isSameAuthor(one: Author, other: Author): boolean {
  return one.userId === other.userId && one.keyId === other.keyId;
}

function createdAt({ firstId, revision, at }: Created, index: number, count: number): Created {
  return { firstId: firstId + index, revision: revision - count + 1 + index, at };
}
