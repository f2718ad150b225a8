import { Injectable } from '@nestjs/common';
import { auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import type { Caller } from '../../common/caller/app-request';
import type { Writer } from '../change-log/change-log-sql';
import type { IfMatch } from '../../common/conditional/if-match';
import type { Item } from '../../common/envelope/page';
import { notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { ColumnTrashRepository } from '../column-trash/column-trash.repository';
import { LinkTargetService } from '../link/link-target.service';
import { ColumnChange } from './column-change';
import { ColumnTransition, converts, isCheckedAlike, isShownAlike } from './column-transition';
import { ColumnChoices } from './column-choices';
import { keyTaken, rejectProblems, tooManyColumns } from './column-check';
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
    private readonly trash: ColumnTrashRepository,
    private readonly transition: ColumnTransition,
    private readonly choices: ColumnChoices,
    private readonly audit: AuditService,
    private readonly targets: LinkTargetService,
    private readonly readOnly: ReadOnlyColumnService,
  ) {}

  /** @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, key: string): Promise<Item<ColumnDto>> {
    return toColumnItem(found(await this.repository.findShown(accountId, datagridId, key)));
  }

  /**
   * @throws AppError `not_found` for the datagrid, `invalid_request`, or `conflict` if the key is
   *   taken, or if the column is required and the datagrid has rows, which have no value in it; as
   *   `ReadOnlyColumnService.number`.
   */
  async add(writer: Writer, datagridId: string, body: CreateColumnDto): Promise<Item<ColumnDto>> {
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
  ): Promise<Item<ColumnDto>> {
    return this.changes.underLock(writer.accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const state = await this.repository.getNewColumnState(datagridId, body.key);
      // This slot may hold values of a removed column, unless the datagrid never had a row.
      const slot = state.isSlotUsed && lastRowId > 0 ? `${body.key}~${state.nextId}` : body.key;
      const column = withIndexFor(newColumn(body, state.nextId, slot), lastRowId);
      rejectProblems(column);
      if (state.isKeyTaken) throw keyTaken();
      if (state.living >= this.config.maxColumns) throw tooManyColumns(this.config.maxColumns);
      this.rejectMetadata(state.metadataBytes + metadataBytes(column), column);
      const added = defaultBytes(column.defaultValue);
      if (added > 0) rejectLargeDefaults(state.defaultBytes + added, 'defaultValue');
      if (column.required) rejectConflictingRows(rowsWithoutValue(rowCount));
      const stored = { ...column, accountId: writer.accountId, datagridId };
      const offset = await this.readOnly.offsetOf(stored, lastRowId, rowCount);
      await this.repository.insert(datagridId, { ...column, numberOffset: offset });
      const keepsPlain = slot === body.key;
      await this.changes.touch(writer, datagridId, { keepsPlain, keepsChecks: false });
      if (offset !== null && rowCount > 0) await this.readOnly.number(stored, offset);
      return toColumnItem(column);
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
  ): Promise<Item<ColumnDto>> {
    const { accountId } = caller;
    return this.changes.underLock(accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const before = await this.getMatching(datagridId, key, lastRowId, ifMatch);
      const changed = await this.choices.changed({ accountId, datagridId }, before, body, rowCount);
      rejectProblems(changed);
      if (isShownAlike(before, changed)) {
        if (await this.move(datagridId, before, body))
          await this.changes.touch(caller, datagridId, { keepsPlain: true, keepsChecks: true });
        return toColumnItem({ ...before, lastRowId });
      }
      const isConverting = rowCount > 0 && converts(body, before, changed);
      if (isConverting) rejectLargeConversion(rowCount);
      const version = before.version + 1;
      const after = { ...withIndexAfter(before, changed, lastRowId, isConverting), version };
      await this.rejectGrowth(datagridId, before, after);
      const { userId, keyId } = caller;
      const writer = { accountId, userId, keyId, datagridId };
      await this.transition.run(writer, before, after, isConverting);
      const change = { ...after, metadataBytes: metadataBytes(after) };
      await this.repository.update(datagridId, after.id, change);
      // The change contains the place of the column before.
      await this.move(datagridId, after, body);
      const keepsChecks = isCheckedAlike(before, after);
      await this.changes.touch(caller, datagridId, { keepsPlain: true, keepsChecks });
      if (isConverting) {
        const target = auditTarget('datagrid', datagridId);
        const details = { column: key, from: before.type, to: after.type };
        await this.audit.record(accountId, caller, 'column_converted', target, { details });
      }
      return toColumnItem({ ...after, lastRowId });
    });
  }

  /**
   * Moves a column to the trash. All readers stop seeing its values at once. The values stay in the
   * rows, under a slot that no other column ever uses. Index entries and unique claims are deleted in
   * the background.
   * @throws AppError `not_found`, or `precondition_failed` if the column has changed.
   */
  async remove(caller: Caller, datagridId: string, key: string, ifMatch: IfMatch): Promise<void> {
    const { accountId } = caller;
    await this.changes.underLock(accountId, datagridId, async ({ lastRowId }) => {
      const column = await this.getMatching(datagridId, key, lastRowId, ifMatch);
      const leftovers = leftoversAfter(column, null, lastRowId);
      const by = { removedByUserId: caller.userId, removedByKeyId: caller.keyId };
      const change = { indexedTo: null, automatic: false, inTrash: true, ...by, ...leftovers };
      await this.repository.remove(datagridId, column.id, change);
      await this.trash.trimToSize(datagridId);
      const keepsPlain = lastRowId === 0;
      await this.changes.touch(caller, datagridId, { keepsPlain, keepsChecks: false });
      const target = auditTarget('datagrid', datagridId);
      const details = { column: key };
      await this.audit.record(accountId, caller, 'column_removed', target, { details });
    });
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
    datagridId: string,
    key: string,
    lastRowId: number,
    ifMatch: IfMatch,
  ): Promise<ColumnRecord & ColumnLeftovers> {
    const column = found(await this.repository.find(datagridId, key));
    ifMatch.require(toColumnItem({ ...column, lastRowId }).etag);
    return column;
  }
}

function found<T extends ColumnRecord>(column: T | null): T {
  if (!column) throw notFound('Column');
  return column;
}
