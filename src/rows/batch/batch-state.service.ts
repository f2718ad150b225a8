import { Injectable } from '@nestjs/common';
import { AppError, conflict, invalidRequest } from '../../common/error/app-error';
import type { Writer } from '../../datagrids/change-log/change-log-sql';
import type { RowRoom } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { mapInSlices, printInSlices } from '../../platform/fairness/event-loop-turns';
import { LinkEntryRepository, WrongLinksError } from '../link/link-entry.repository';
import { requireFewLinks } from '../link/linked-ids';
import { ReadOnlyValues } from '../values/read-only-values';
import type { LockedCounter } from '../write/counter.repository';
import type { RowSetWrite } from '../write/row-set-write';
import { type BatchRow, BatchState, type NetChange, type UniqueHashes } from './batch-state';
import { BatchStateRepository, type FoundValue } from './batch-state.repository';
import type { Preparation } from './prepared-operation';

export interface OpenedBatchState {
  readonly state: BatchState;
  /** Hashes of each operation's values in unique columns, by the operation's index. */
  readonly hashes: readonly UniqueHashes[];
  /** Errors of operations that link to rows that do not exist, by the operation's index. */
  readonly wrongLinks: ReadonlyMap<number, AppError>;
}

/** Who runs a batch, and how many rows it can create. */
export interface BatchLimits {
  readonly author: Writer;
  readonly room: RowRoom;
}

/** Reads the rows that a batch can touch and writes its net change, under the datagrid's lock. */
@Injectable()
export class BatchStateService {
  constructor(
    private readonly config: AppConfig,
    private readonly states: BatchStateRepository,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * Reads the rows that the operations name or match.
   * @param list Body property that holds the operations.
   * @throws AppError `invalid_request` if the rows together exceed MAX_BATCH_BYTES or have too many links;
   *   `forbidden` if the
   *   author has no access to a linked datagrid.
   */
  async open(
    schema: DatagridSchema,
    counter: LockedCounter,
    prepared: readonly Preparation[],
    list: string,
    { author, room }: BatchLimits,
  ): Promise<OpenedBatchState> {
    const values = prepared.map((each) => (each instanceof AppError ? {} : each.values.bySlot));
    requireFewLinks(schema, values, list);
    const found = await this.states.listValues(schema, values);
    const ids = new Set([...namedIds(prepared), ...matchedIds(prepared, found)]);
    const { accountId } = author;
    const { maxBatchBytes } = this.config;
    const rows = await this.states.findRows(accountId, schema, [...ids], maxBatchBytes);
    if (!rows) throw tooLarge(list);
    const hashes = prepared.map(() => new Map<number, string>());
    for (const { index, columnId, hash } of found) hashes[index]?.set(columnId, hash);
    const wrongLinks = await this.links.check(schema, author, values, (index) => {
      const each = prepared[index];
      const row = each && !(each instanceof AppError) && 'row' in each.operation;
      return row ? each.operation.row.path : 'values';
    });
    const readOnly = new ReadOnlyValues(schema.readOnly, author);
    const state = new BatchState(counter, rows, found, room, readOnly);
    return { state, hashes, wrongLinks };
  }

  /**
   * Writes the net change: deletes, then changes, then creations. A unique value is therefore
   * released before another row claims it. The change log has an entry for each of the three, or several for
   * many deletions because of links.
   * @throws AppError `conflict` as `LinkedDeletion.prepare`; `invalid_request` if a row links to one
   *   that the batch deletes.
   */
  async write(write: RowSetWrite, net: NetChange, { accountId }: Writer): Promise<void> {
    const { deletedIds, changed, changedSlots, created, goneIds } = net;
    try {
      if (deletedIds.length > 0) {
        await write.delete(deletedIds, (allIds) => {
          if (allIds.length > deletedIds.length) rejectChangedTwice(allIds, changed);
        });
      }
      const changes = await mapInSlices(accountId, changed, ({ id, values }) => {
        return { id, json: JSON.stringify(values), cleared: [], replaces: true };
      });
      await write.change(changes, changedSlots);
      const json = await printInSlices(accountId, created, (row) => JSON.stringify(row));
      await write.create({ json, count: created.length });
      await write.deleteUnlinked(goneIds);
    } catch (error) {
      if (error instanceof WrongLinksError) throw invalidRequest(error.details([]));
      throw error;
    }
  }
}

/** @throws AppError `conflict` if a batch changes a row that it deletes because of a link. */
function rejectChangedTwice(deletedIds: readonly number[], changed: readonly BatchRow[]): void {
  const deleted = new Set(deletedIds);
  const both = changed.find(({ id }) => deleted.has(id));
  if (!both) return;
  throw conflict(`This request changes row ${String(both.id)}, and deletes it because of a link.`);
}

function tooLarge(field: string): AppError {
  const message = 'affect too many bytes of rows; send fewer operations';
  return invalidRequest([{ field, code: 'too_large', message }]);
}

function namedIds(prepared: readonly Preparation[]): number[] {
  return prepared.flatMap((each) =>
    !(each instanceof AppError) && 'id' in each.operation ? [each.operation.id] : [],
  );
}

/** Returns the ids of the stored rows that upserts can change. */
function matchedIds(prepared: readonly Preparation[], found: readonly FoundValue[]): number[] {
  return found.flatMap(({ index, columnId, rowId }) => {
    const each = prepared[index];
    const isMatched =
      !(each instanceof AppError) && each?.matchOn.some(({ id }) => id === columnId);
    return rowId !== null && isMatched ? [rowId] : [];
  });
}
