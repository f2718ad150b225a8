import { Injectable } from '@nestjs/common';
import type { Writer } from '../../datagrids/change-log/change-log-sql';
import { ENDLESS_ROOM, RowQuota, type RowRoom } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { LinkEntryRepository, WrongLinksError } from '../link/link-entry.repository';
import { CounterRepository, type LockedCounter, type RowWrite } from './counter.repository';
import { type DeletionLocks, LinkedDeletion } from './linked-deletion';
import {
  type ChangedSlots,
  type IdentifiedChange,
  RowChangeRepository,
} from './row-change.repository';
import { type NewRows, RowCreateRepository } from './row-create.repository';
import { RowDeleteRepository } from './row-delete.repository';
import { type DeletedRow, RowRecreateRepository } from './row-recreate.repository';
import { lostLinks } from './schema-bound-write';

/** Maximum number of rows that one statement deletes. */
const STEP_ROWS = 5_000;
/** Maximum number of rows whose links are entered together, so that an error names all that are wrong. */
const LINK_STEP_ROWS = 10_000;

/** What a write of many rows is about. */
interface RowSetRequest {
  readonly author: Writer;
  readonly schema: DatagridSchema;
  /** Whether it may delete rows. It then holds the locks of the datagrids that link to the rows. */
  readonly deletes: boolean;
  /** Whether it may add rows. It then holds the lock of the account's quota, if there is one. */
  readonly adds: boolean;
}

/** Writes many rows of a datagrid together. */
@Injectable()
export class RowSetWrites implements Repositories {
  constructor(
    private readonly database: Database,
    private readonly quota: RowQuota,
    readonly counters: CounterRepository,
    readonly linked: LinkedDeletion,
    readonly deletions: RowDeleteRepository,
    readonly changes: RowChangeRepository,
    readonly recreations: RowRecreateRepository,
    readonly creates: RowCreateRepository,
    readonly links: LinkEntryRepository,
  ) {}

  /**
   * Runs `work` in a transaction that holds the lock of the datagrid.
   * @returns `null` if the columns are no longer those of the schema. The caller then retries.
   * @throws what `work` throws, after undoing it; AppError `conflict` if too many datagrids link to the rows.
   */
  run<T>(
    { author, schema, deletes, adds }: RowSetRequest,
    work: (write: RowSetWrite) => Promise<T>,
  ): Promise<T | null> {
    const { accountId } = author;
    return this.database.transaction(async () => {
      const room = adds ? await this.quota.room(accountId) : ENDLESS_ROOM;
      const lock = (): Promise<LockedCounter | null> => this.counters.lock(schema);
      const locks = deletes ? await this.linked.lock(accountId, schema, lock) : null;
      const counter = deletes ? locks?.own : await lock();
      return counter ? work(this.begin({ schema, author, counter, room, locks })) : null;
    });
  }

  /** Begins a write under locks that the caller holds. */
  begin(held: HeldDatagrid): RowSetWrite {
    return new RowSetWrite(held, this);
  }

  /** Takes all locks of a write that deletes, for the last attempt. See `LinkedDeletion.hold`. */
  hold(accountId: string, datagridId: string): Promise<void> {
    return this.linked.hold(accountId, datagridId);
  }
}

/** A datagrid whose lock a write holds. */
interface HeldDatagrid {
  readonly schema: DatagridSchema;
  readonly author: Writer;
  /** The datagrid before the write. */
  readonly counter: LockedCounter;
  /** How many rows the write may add, if it may add some. */
  readonly room: RowRoom;
  /** `null` if it deletes no rows. */
  readonly locks: DeletionLocks<unknown> | null;
}

interface Repositories {
  readonly counters: CounterRepository;
  readonly linked: LinkedDeletion;
  readonly deletions: RowDeleteRepository;
  readonly changes: RowChangeRepository;
  readonly recreations: RowRecreateRepository;
  readonly creates: RowCreateRepository;
  readonly links: LinkEntryRepository;
}

/**
 * One write of many rows. Whatever it changes has the same revision, which is raised before the first change,
 * because each revision needs an entry of the change log. Each change is one part of it in the log.
 * Delete before you change, and change before you create: a unique value is then free when another row
 * claims it.
 */
export class RowSetWrite {
  readonly schema: DatagridSchema;
  readonly counter: LockedCounter;
  readonly room: RowRoom;
  private readonly write: RowWrite;
  private part = 0;
  private isRaised = false;

  constructor(
    private readonly held: HeldDatagrid,
    private readonly repositories: Repositories,
  ) {
    const { schema, author, counter, room } = held;
    this.schema = schema;
    this.counter = counter;
    this.room = room;
    this.write = { revision: counter.revision + 1, at: counter.at, author };
  }

  /** Revision of the datagrid: that of the write once it has changed something. */
  get revision(): number {
    return this.isRaised ? this.write.revision : this.counter.revision;
  }

  /**
   * Deletes rows, which must exist, and what the columns that link to them say.
   * @param check Called with the ids of all rows of the datagrid, before they are deleted: the given ones, and
   *   those that are deleted because of links.
   * @returns the number of rows of the datagrid that were deleted.
   * @throws AppError `conflict` as `LinkedDeletion.prepare`, or what `check` throws.
   */
  async delete(
    rowIds: readonly number[],
    check?: (ids: readonly number[]) => void,
  ): Promise<number> {
    const { locks } = this.held;
    if (!locks) throw new Error('The write does not hold the locks of a deletion.');
    if (rowIds.length === 0) return 0;
    await this.raise();
    const { linked } = this.repositories;
    const { ids, part } = await linked.prepare(locks, this.schema, rowIds, this.write, this.part);
    check?.(ids);
    this.part = part;
    return this.deleteUnlinked(ids);
  }

  /** Deletes rows, which must exist, and that no row links to. @returns the number of rows. */
  async deleteUnlinked(rowIds: readonly number[]): Promise<number> {
    const { deletions } = this.repositories;
    let count = 0;
    for (const ids of stepsOf(rowIds, STEP_ROWS)) {
      await this.raise();
      count += await deletions.delete(this.schema, ids, this.write, this.part++);
    }
    return count;
  }

  /**
   * Changes rows, which must exist, each at most once.
   * @param links `later` if `enterLinks` follows, because the rows can link to some that are created again.
   */
  async change(
    changes: readonly IdentifiedChange[],
    slots: ChangedSlots,
    links: 'now' | 'later' = 'now',
  ): Promise<void> {
    if (changes.length === 0) return;
    await this.raise();
    const part = this.part++;
    await this.repositories.changes.changeMany(
      this.schema,
      this.write,
      part,
      changes,
      slots,
      links,
    );
  }

  /** Creates deleted rows again. `enterLinks` must follow: they can link to each other. */
  async recreate(rows: readonly DeletedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.raise();
    const part = this.part++;
    await this.repositories.recreations.recreate(this.schema, rows, this.write, part, 'later');
  }

  async create(rows: NewRows): Promise<void> {
    if (rows.count === 0) return;
    await this.raise();
    await this.repositories.creates.createIn(this.write, this.schema, rows, this.part++);
  }

  /**
   * Enters the links of rows that were changed or created again.
   * @param pathOf Returns the path of a row's values in errors.
   * @throws AppError `conflict` if linked rows do not exist anymore.
   */
  async enterLinks(rowIds: readonly number[], pathOf: (rowId: number) => string): Promise<void> {
    for (const ids of stepsOf(rowIds, LINK_STEP_ROWS)) {
      try {
        await this.repositories.links.enter(this.schema, this.write.author, ids);
      } catch (error) {
        if (error instanceof WrongLinksError) throw lostLinks(error.details(ids.map(pathOf)));
        throw error;
      }
    }
  }

  /**
   * Raises the revision, if that has not been done. Call it before a savepoint in which the write changes
   * something: the write does not notice that a savepoint is undone.
   */
  async raise(): Promise<void> {
    if (this.isRaised) return;
    this.isRaised = true;
    await this.repositories.counters.raise(this.schema, this.counter);
  }
}

function* stepsOf(ids: readonly number[], rows: number): Generator<readonly number[]> {
  for (let start = 0; start < ids.length; start += rows) yield ids.slice(start, start + rows);
}
