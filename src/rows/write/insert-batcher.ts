import { Injectable } from '@nestjs/common';
import { isQuotaExceeded } from '../../auth/quota/quota-exceeded';
import { RowQuota } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { RowCreateRepository, type Created } from './row-create.repository';
import { isUniqueViolation } from './unique-conflict.repository';

/** Rows and characters that go into one statement: it holds the datagrid's lock for some milliseconds. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 1024 * 1024;

interface Waiter {
  /** The row's values by slot, as JSON text. */
  readonly json: string;
  readonly resolve: (created: Created | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates rows that come one by one, by group commit. Writes to a datagrid wait for one another in
 * any case; so those that come while one is in progress go together in the next statement, and share
 * its commit. Each has an id and a revision of its own, as if it had gone alone. A unique value that
 * is taken, or a quota that is used up, fails its own row; any other failure, such as a lost
 * connection, all that went together.
 */
@Injectable()
export class InsertBatcher {
  /** Who waits, for each version of a datagrid's columns that a statement is in progress for. */
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(
    private readonly database: Database,
    private readonly creates: RowCreateRepository,
    private readonly quota: RowQuota,
    private readonly gate: DatabaseGate,
  ) {}

  /** As `RowCreateRepository.create`, for one row; inside a transaction it is just that. */
  async create(accountId: string, schema: DatagridSchema, json: string): Promise<Created | null> {
    if (this.database.isInTransaction) {
      return this.quota.run(accountId, () => this.creates.create(schema, `[${json}]`, 1));
    }
    const key = `${schema.datagridId} ${String(schema.version)}`;
    return new Promise((resolve, reject) => {
      const waiter = { json, resolve, reject };
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
      // One place for all that go together: those that come meanwhile gather without one.
      const created = await this.gate.run(accountId, () =>
        this.quota.run(accountId, () => this.creates.create(schema, json, length, length)),
      );
      for (const [index, { resolve }] of waiters.entries()) {
        resolve(created && createdAt(created, index, length));
      }
    } catch (error) {
      // One of several is refused, and with it all were: alone each meets its own fate.
      if (waiters.length > 1 && (isUniqueViolation(error) || isQuotaExceeded(error))) {
        for (const waiter of waiters) await this.write(accountId, schema, [waiter]);
      } else {
        for (const { reject } of waiters) reject(error);
      }
    }
  }
}

/** Takes out those that go together: the first in any case. */
function take(waiting: Waiter[]): Waiter[] {
  let [rows, characters] = [0, 0];
  for (const { json } of waiting) {
    characters += json.length;
    if (rows > 0 && (rows === MAX_ROWS || characters > MAX_CHARACTERS)) break;
    rows += 1;
  }
  return waiting.splice(0, rows);
}

function createdAt({ firstId, revision, at }: Created, index: number, count: number): Created {
  return { firstId: firstId + index, revision: revision - count + 1 + index, at };
}
