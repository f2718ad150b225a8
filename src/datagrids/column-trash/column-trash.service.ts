import { Injectable } from '@nestjs/common';
import { auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { notFound } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import { DAY_MS } from '../../common/time/day';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { isLink } from '../column-type/column-type';
import { ColumnChange } from '../column/column-change';
import { rejectProblems, restoredKeyTaken, tooManyColumns } from '../column/column-check';
import { ColumnContents } from '../column/column-contents';
import { defaultBytes, rejectLargeDefaults } from '../column/column-default';
import { metadataBytes, rejectMuchMetadata } from '../column/column-metadata';
import {
  type ColumnRecord,
  INDEX_COMPLETE,
  NOT_REMOVED,
  toColumnDto,
  toColumnItem,
  withIndexAfter,
} from '../column/column-record';
import { ColumnTransition } from '../column/column-transition';
import { ColumnRepository } from '../column/column.repository';
import { type PreviousKey, previousKeysAfter } from '../column/previous-key';
import type { ColumnDto } from '../column/dto/column.dto';
import { ReadOnlyColumnService } from '../column/read-only-column.service';
import { LargeColumns } from '../column/large-columns';
import { ComputedColumnService } from '../column/computed-column.service';
import { DatagridTrimService } from '../trim/datagrid-trim.service';
import type { ExpiredDatagrid } from '../trim/expired-datagrids.repository';
import { DeletedColumnRepository, type ListedColumn } from '../column/deleted-column.repository';
import type { DeletedColumnDto, RestoreColumnDto } from './dto/column-trash.dto';

/**
 * Removed columns that can be restored, until TRASH_RETENTION_DAYS after their removal. In the
 * background of every instance, clears the options and default values of expired ones.
 */
@Injectable()
export class ColumnTrashService extends DatagridTrimService {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ColumnChange,
    private readonly repository: DeletedColumnRepository,
    private readonly columns: ColumnRepository,
    private readonly transition: ColumnTransition,
    private readonly contents: ColumnContents,
    private readonly large: LargeColumns,
    private readonly computed: ComputedColumnService,
    private readonly audit: AuditService,
    private readonly readOnly: ReadOnlyColumnService,
    logger: Logger,
  ) {
    super('column trash', logger);
  }

  protected listExpired(): Promise<ExpiredDatagrid[]> {
    return this.repository.listExpired();
  }

  protected trim(datagridId: string): Promise<number> {
    return this.repository.trim(datagridId);
  }

  /**
   * Returns a page of removed columns, newest first.
   * @throws AppError `not_found`; `rate_limited` or `unavailable` if too many large datagrids are
   *   being read.
   */
  async list(
    accountId: string,
    datagridId: string,
    page: PageRequest,
  ): Promise<JsonResponse<DeletedColumnDto[]>> {
    const found = await this.large.read(accountId, (maxBytes) =>
      this.repository.list(accountId, datagridId, page, maxBytes),
    );
    if (!found) throw notFound('Datagrid');
    const [removed, total] = found;
    const columns = await this.computed.allShown(accountId, datagridId, removed);
    const ttlMs = this.config.trashRetentionDays * DAY_MS;
    return JsonResponse.page(
      columns.map((column) => toDto(column, ttlMs)),
      total,
      page,
    );
  }

  /**
   * Restores a column with the values that rows have under its slot. It is checked like a column that
   * becomes `required` and `unique`. Rows with a value are logged as changed, so that readers of the
   * log get the value.
   * @throws AppError `not_found` for the datagrid or the column; `conflict` if the key is taken, with
   *   the number of conflicting rows, or if a row would be too large; `invalid_request` if there are
   *   too many or too large columns; `rate_limited` or `unavailable` if too many rows are being
   *   checked already.
   */
  async restore(
    caller: Caller,
    datagridId: string,
    { id, key: newKey, ...rules }: RestoreColumnDto,
  ): Promise<JsonResponse<ColumnDto>> {
    const { accountId, userId, keyId } = caller;
    return this.changes.underLock(accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const found = await this.repository.find(datagridId, id);
      if (!found) throw notFound('Column');
      const key = newKey ?? found.key;
      const previousKeys = await this.freePreviousKeys(datagridId, found, key);
      const removed = { ...withoutLink(found), previousKeys };
      await this.rejectExcess(datagridId, { ...removed, key });
      const slot = await this.slotFor(datagridId, { ...removed, key }, removed.slot, lastRowId);
      const unchecked = { required: false, unique: false, indexed: false, indexedTo: null };
      const before = { ...removed, key, slot, ...unchecked };
      const { required = removed.required, unique = removed.unique } = rules;
      const restored = { ...removed, key, slot, required, unique };
      rejectProblems(await this.computed.asSent(accountId, datagridId, restored));
      await this.computed.rejectRestored(datagridId, restored);
      const version = removed.version + 1;
      const after = { ...withIndexAfter(before, restored, lastRowId), version };
      const writer = { accountId, userId, keyId, datagridId };
      await this.transition.run(writer, before, after, false);
      const change = { ...after, ...NOT_REMOVED, metadataBytes: metadataBytes(after) };
      await this.columns.update(datagridId, id, change);
      await this.computed.mark(datagridId, after);
      await this.changes.touch(caller, datagridId, {
        keepsPlain: slot === key,
        keepsChecks: false,
      });
      const stored = { ...after, accountId, datagridId };
      await this.readOnly.restore(stored, found.removedAt, rowCount);
      const mayHaveValues =
        lastRowId > 0 && (slot === removed.slot || typeof after.numberOffset === 'number');
      if (mayHaveValues) await this.contents.hooks.logValues(stored);
      const target = auditTarget('datagrid', datagridId);
      const details = { column: key };
      await this.audit.record(accountId, caller, 'column_restored', target, { details });
      const shown = await this.computed.shown(accountId, datagridId, after);
      return toColumnItem({ ...shown, lastRowId });
    });
  }

  /** Returns the previous keys that requests may still use and that no other column has by now. */
  private async freePreviousKeys(
    datagridId: string,
    { previousKeys }: ColumnRecord,
    key: string,
  ): Promise<PreviousKey[]> {
    const free: PreviousKey[] = [];
    for (const previous of previousKeysAfter(previousKeys, key, key)) {
      const state = await this.columns.getNewColumnState(datagridId, previous.key);
      if (!state.isKeyTaken && state.previousId === null) free.push(previous);
    }
    return free;
  }

  /** @throws AppError `conflict` for the key; `invalid_request` for the limits of a datagrid. */
  private async rejectExcess(datagridId: string, column: ColumnRecord): Promise<void> {
    const { maxColumns, maxColumnMetadataBytes } = this.config;
    const state = await this.columns.getNewColumnState(datagridId, column.key);
    if (state.isKeyTaken || state.previousId !== null) throw restoredKeyTaken();
    if (state.living >= maxColumns) throw tooManyColumns(maxColumns);
    const bytes = state.metadataBytes + metadataBytes(column);
    rejectMuchMetadata(bytes, maxColumnMetadataBytes, 'id');
    const added = defaultBytes(column.defaultValue);
    if (added > 0) rejectLargeDefaults(state.defaultBytes + added, 'id');
  }

  /**
   * Returns the slot of a restored column: the one it had if it can have values there. Before the
   * first row of a datagrid, columns that follow one another can have the same slot. Its values then
   * belong to the last of these columns.
   */
  private async slotFor(
    datagridId: string,
    { id, key }: ColumnRecord,
    slot: string,
    lastRowId: number,
  ): Promise<string> {
    const sharing = await this.repository.listSharing(datagridId, slot, id);
    if (lastRowId > 0 && sharing.every((other) => other < id)) return slot;
    const isFree = (await this.repository.listSharing(datagridId, key, id)).length === 0;
    return isFree ? key : `${key}~${String(id)}`;
  }
}

/**
 * Returns a removed column as it can be restored. The rows that a link column links to may be gone, so
 * it becomes a column of ids.
 */
function withoutLink<T extends ColumnRecord>(column: T): T {
  if (!isLink(column.type)) return column;
  return { ...column, type: column.type === 'link' ? 'integer' : 'json', options: {} };
}

function toDto(column: ListedColumn, ttlMs: number): DeletedColumnDto {
  const { id, removedAt, removedByUserId: userId, removedByKeyId: keyId } = column;
  // A removed column has no index that is being built.
  const shown = toColumnDto({
    ...column,
    indexedTo: INDEX_COMPLETE,
    previousKeys: [],
  });
  return Object.assign({ id }, shown, {
    deletedAt: removedAt.toISOString(),
    expiresAt: new Date(removedAt.getTime() + ttlMs).toISOString(),
    userId,
    keyId,
  });
}
