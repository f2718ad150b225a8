import { Injectable } from '@nestjs/common';
import { type Actor, actorOf, type AuditAction, auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import type { Caller } from '../../common/caller/app-request';
import type { Writer } from '../change-log/change-log-sql';
import type { IfMatch } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import { notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { DeletedColumnRepository } from './deleted-column.repository';
import { isComputed } from '../column-type/column-type';
import { ComputedColumnService } from './computed-column.service';
import { LinkTargetService } from '../link/link-target.service';
import { ColumnChange } from './column-change';
import { ColumnTransition, converts, isCheckedAlike, isShownAlike } from './column-transition';
import { ColumnChoices } from './column-choices';
import { keyTaken, rejectProblems, tooManyColumns, previousKeyTaken } from './column-check';
import {
  type ColumnLeftovers,
  type ColumnRecord,
  leftoversAfter,
  newColumn,
  toColumnItem,
  withIndexAfter,
  withIndexFor,
} from './column-record';
import { defaultBytes, rejectLargeDefaults } from './column-default';
import { metadataBytes, rejectMuchMetadata } from './column-metadata';
import { ReadOnlyColumnService } from './read-only-column.service';
import { ColumnRepository } from './column.repository';
import type { ColumnDto, CreateColumnDto, UpdateColumnDto } from './dto/column.dto';
import { rejectConflictingRows, rejectLargeConversion, rowsWithoutValue } from './column-contents';

/** Properties of a change that have an event of their own, and those that a conversion has. */
const OF_KEY: readonly string[] = ['key'];
const OF_CONVERSION: readonly string[] = [...OF_KEY, 'type', 'convert'];

/**
 * Columns of one account's datagrids. Every change runs in one transaction that holds the
 * datagrid's lock, so that no row is written between its checks and its commit.
 */
@Injectable()
export class ColumnService {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ColumnChange,
    private readonly repository: ColumnRepository,
    private readonly trash: DeletedColumnRepository,
    private readonly transition: ColumnTransition,
    private readonly choices: ColumnChoices,
    private readonly audit: AuditService,
    private readonly targets: LinkTargetService,
    private readonly computed: ComputedColumnService,
    private readonly readOnly: ReadOnlyColumnService,
  ) {}

  /** @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, key: string): Promise<JsonResponse<ColumnDto>> {
    const column = found(await this.repository.findShown(accountId, datagridId, key));
    return this.itemOf(accountId, datagridId, column);
  }

  /**
   * @throws AppError `not_found` for the datagrid, `invalid_request`, or `conflict` if the key is
   *   taken, or if the column is required and the datagrid has rows, which have no value in it; as
   *   `ReadOnlyColumnService.number`.
   */
  async add(
    writer: Writer,
    datagridId: string,
    body: CreateColumnDto,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.targets.underLocks(
      writer,
      datagridId,
      null,
      [body],
      () => this.addUnderLock(writer, datagridId, body),
      () => '',
    );
  }

  private async addUnderLock(
    writer: Writer,
    datagridId: string,
    body: CreateColumnDto,
  ): Promise<JsonResponse<ColumnDto>> {
    return this.changes.underLock(writer.accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const state = await this.repository.getNewColumnState(datagridId, body.key);
      // This slot may hold values of a removed column, unless the datagrid never had a row.
      const slot = state.isSlotUsed && lastRowId > 0 ? `${body.key}~${state.nextId}` : body.key;
      const sent = withIndexFor(newColumn(body, state.nextId, slot), lastRowId);
      rejectProblems(sent);
      if (state.isKeyTaken) throw keyTaken();
      if (state.previousId !== null) throw previousKeyTaken();
      const column = await this.computed.resolve(writer, datagridId, sent);
      if (state.living >= this.config.maxColumns) throw tooManyColumns(this.config.maxColumns);
      this.rejectMetadata(state.metadataBytes + metadataBytes(column), column);
      const added = defaultBytes(column.defaultValue);
      if (added > 0) rejectLargeDefaults(state.defaultBytes + added, 'defaultValue');
      if (column.required) rejectConflictingRows(rowsWithoutValue(rowCount));
      const stored = { ...column, accountId: writer.accountId, datagridId };
      const offset = await this.readOnly.offsetOf(stored, lastRowId, rowCount);
      await this.repository.insert(datagridId, { ...column, numberOffset: offset });
      const keepsPlain = slot === body.key;
      await this.computed.mark(datagridId, column);
      await this.changes.touch(writer, datagridId, { keepsPlain, keepsChecks: false });
      if (offset !== null && rowCount > 0) await this.readOnly.number(stored, offset);
      const { accountId } = writer;
      const details = { column: column.key, type: column.type };
      await this.record(accountId, actorOf(writer), 'column_created', datagridId, details);
      return this.itemOf(writer.accountId, datagridId, column);
    });
  }

  /**
   * Changes a column. Without `convert`, the change is rejected unless every stored value is valid
   * for the changed column as it is. With it, values are converted, and those that do not convert are
   * cleared.
   * @throws AppError `not_found`, `precondition_failed` if the column has changed,
   *   `invalid_request`, or `conflict` with the number of conflicting rows; `rate_limited` or
   *   `unavailable` if too many rows are being checked already; `query_too_expensive` if a conversion
   *   takes too long.
   */
  async update(
    caller: Caller,
    datagridId: string,
    key: string,
    body: UpdateColumnDto,
    ifMatch: IfMatch,
  ): Promise<JsonResponse<ColumnDto>> {
    const { accountId } = caller;
    return this.changes.underLock(accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const stored = await this.getMatching(accountId, datagridId, key, lastRowId, ifMatch);
      const before = await this.computed.asSent(accountId, datagridId, stored);
      const item = (column: ColumnRecord): Promise<JsonResponse<ColumnDto>> =>
        this.itemOf(accountId, datagridId, withStored(column, stored, lastRowId));
      const fitting = await this.choices.changed({ accountId, datagridId }, before, body, rowCount);
      const slot = await this.slotAfter(datagridId, before, fitting, lastRowId);
      const changed = { ...fitting, slot };
      rejectProblems(changed);
      if (isShownAlike(before, changed)) {
        if (await this.move(datagridId, before, body)) {
          await this.changes.touch(caller, datagridId, { keepsPlain: true, keepsChecks: true });
          await this.recordChange(caller, datagridId, [before, before], body);
        }
        return item(before);
      }
      const isConverting = rowCount > 0 && converts(body, before, changed);
      if (isConverting) rejectLargeConversion(rowCount);
      const version = before.version + 1;
      const after = { ...withIndexAfter(before, changed, lastRowId, isConverting), version };
      await this.rejectGrowth(datagridId, before, after);
      const { userId, keyId } = caller;
      const writer = { accountId, userId, keyId, datagridId };
      await this.transition.run(writer, before, after, isConverting);
      const { options } = withStored(after, stored, lastRowId);
      const change = { ...after, options, metadataBytes: metadataBytes(after) };
      await this.repository.update(datagridId, after.id, change);
      // The change contains the place of the column before.
      await this.move(datagridId, after, body);
      const keepsChecks = isCheckedAlike(before, after);
      const keepsPlain = before.key === after.key || after.slot === after.key;
      await this.changes.touch(caller, datagridId, { keepsPlain, keepsChecks });
      await this.recordChange(caller, datagridId, [before, after], body, isConverting);
      return item(after);
    });
  }

  /**
   * Moves a column to the trash. All readers stop seeing its values at once. The values stay in the
   * rows, under a slot that no other column ever uses. Index entries and unique claims are deleted in
   * the background.
   * @throws AppError `not_found`, `precondition_failed` if the column has changed, or `conflict` if
   *   another column is computed from it.
   */
  async remove(caller: Caller, datagridId: string, key: string, ifMatch: IfMatch): Promise<void> {
    const { accountId } = caller;
    await this.changes.underLock(accountId, datagridId, async ({ lastRowId }) => {
      const column = await this.getMatching(accountId, datagridId, key, lastRowId, ifMatch);
      await this.computed.rejectUsed(datagridId, column);
      const leftovers = leftoversAfter(column, null, lastRowId);
      const by = { removedByUserId: caller.userId, removedByKeyId: caller.keyId };
      const change = { indexedTo: null, inTrash: true, ...by, ...leftovers };
      await this.repository.remove(datagridId, column.id, change);
      await this.trash.trimToSize(datagridId);
      await this.computed.mark(datagridId, column);
      const keepsPlain = lastRowId === 0 || isComputed(column.type);
      await this.changes.touch(caller, datagridId, { keepsPlain, keepsChecks: false });
      await this.record(accountId, caller, 'column_removed', datagridId, { column: column.key });
    });
  }

  /** Records a change of the key, a conversion, and a change of other properties. */
  private async recordChange(
    caller: Caller,
    datagridId: string,
    [before, after]: readonly [ColumnRecord, ColumnRecord],
    body: UpdateColumnDto,
    isConverting = false,
  ): Promise<void> {
    const { accountId } = caller;
    const column = before.key;
    if (after.key !== column) {
      const details = { column, to: after.key };
      await this.record(accountId, caller, 'column_key_changed', datagridId, details);
    }
    if (isConverting) {
      const details = { column, from: before.type, to: after.type };
      await this.record(accountId, caller, 'column_converted', datagridId, details);
    }
    const apart = isConverting ? OF_CONVERSION : OF_KEY;
    const sent = Object.entries(body).filter(([, value]) => value !== undefined);
    const names = sent.map(([name]) => name).filter((name) => !apart.includes(name));
    if (names.length === 0) return;
    const details = { column: after.key, properties: names.join(', ') };
    await this.record(accountId, caller, 'column_updated', datagridId, details);
  }

  private async record(
    accountId: string,
    by: Actor,
    action: AuditAction,
    datagridId: string,
    details: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.audit.record(accountId, by, action, auditTarget('datagrid', datagridId), {
      details,
    });
  }

  /**
   * Returns the slot of a column after a change of its key: the new key if no row can have values, or
   * else the same slot.
   * @throws AppError `conflict` if another column has the new key, or had it before.
   */
  private async slotAfter(
    datagridId: string,
    before: ColumnRecord,
    { key, id }: ColumnRecord,
    lastRowId: number,
  ): Promise<string> {
    if (key === before.key) return before.slot;
    const state = await this.repository.getNewColumnState(datagridId, key);
    if (state.isKeyTaken) throw keyTaken();
    if (state.previousId !== null && state.previousId !== id) throw previousKeyTaken();
    return lastRowId === 0 && !state.isSlotUsed ? key : before.slot;
  }

  /** Moves a column to the position in the body, if there is one. @returns whether the order has changed. */
  private async move(
    datagridId: string,
    { id }: ColumnRecord,
    { position }: UpdateColumnDto,
  ): Promise<boolean> {
    return position !== undefined && this.repository.move(datagridId, id, position);
  }

  /** @throws AppError `invalid_request` if a change makes the columns of a datagrid too large. */
  private async rejectGrowth(
    datagridId: string,
    before: ColumnRecord,
    after: ColumnRecord,
  ): Promise<void> {
    const grown = metadataBytes(after) - metadataBytes(before);
    const grownDefault = defaultBytes(after.defaultValue) - defaultBytes(before.defaultValue);
    if (grown <= 0 && grownDefault <= 0) return;
    const sums = await this.repository.getMetadataSums(datagridId);
    if (grown > 0) this.rejectMetadata(sums.metadataBytes + grown, after);
    if (grownDefault > 0) rejectLargeDefaults(sums.defaultBytes + grownDefault, 'defaultValue');
  }

  /** @throws AppError `invalid_request` */
  private rejectMetadata(bytes: number, { options }: ColumnRecord): void {
    const field = options.choices ? 'options.choices' : 'title';
    rejectMuchMetadata(bytes, this.config.maxColumnMetadataBytes, field);
  }

  /**
   * Requires the datagrid's lock, so that the column does not change until the end of the
   * transaction.
   */
  private async getMatching(
    accountId: string,
    datagridId: string,
    key: string,
    lastRowId: number,
    ifMatch: IfMatch,
  ): Promise<ColumnRecord & ColumnLeftovers> {
    const column = found(await this.repository.find(datagridId, key));
    if (!ifMatch.isAny) {
      ifMatch.require((await this.itemOf(accountId, datagridId, { ...column, lastRowId })).etag);
    }
    return column;
  }

  private async itemOf(
    accountId: string,
    datagridId: string,
    column: ColumnRecord,
  ): Promise<JsonResponse<ColumnDto>> {
    return toColumnItem(await this.computed.shown(accountId, datagridId, column));
  }
}

/** Returns a changed column with the options to store. Those of a computed column cannot change. */
function withStored(column: ColumnRecord, stored: ColumnRecord, lastRowId: number): ColumnRecord {
  const options = isComputed(stored.type) ? stored.options : column.options;
  return { ...column, options, lastRowId };
}

function found<T extends ColumnRecord>(column: T | null): T {
  if (!column) throw notFound('Column');
  return column;
}
