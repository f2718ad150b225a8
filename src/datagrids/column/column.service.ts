import { Injectable } from '@nestjs/common';
import type { Actor } from '../../auth/audit/actor';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-target';
import type { IfMatch } from '../../common/conditional/if-match';
import type { Item } from '../../common/envelope/item';
import { notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { changedColumn, isCheckedAlike, isShownAlike } from './column-change';
import { keyTaken, refuseProblems, tooManyColumns } from './column-check';
import { leftoversAfter, withIndexAfter, withIndexFor } from './column-index';
import { metadataBytes, refuseMuchMetadata } from './column-metadata';
import { newColumn, toColumnItem, type ColumnRecord, type ColumnLeftovers } from './column-record';
import { ColumnTransition } from './column-transition';
import { ColumnRepository, type LockedDatagrid } from './column.repository';
import type { ColumnDto } from './dto/column.dto';
import type { CreateColumnDto } from './dto/create-column.dto';
import type { UpdateColumnDto } from './dto/update-column.dto';
import { refuseRowsAgainst, rowsWithoutValue } from './rows-against';

/**
 * Columns of one account's datagrids. Every change is one transaction that holds the datagrid's
 * lock throughout: no row is written between its checks and its end.
 */
@Injectable()
export class ColumnService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: ColumnRepository,
    private readonly transition: ColumnTransition,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError `not_found` */
  async get(accountId: string, datagridId: string, key: string): Promise<Item<ColumnDto>> {
    return toColumnItem(found(await this.repository.findShown(accountId, datagridId, key)));
  }

  /**
   * @throws AppError `not_found` for the datagrid, `invalid_request`, or `conflict` where the key
   *   is taken or the column is required and there are rows, which have no value in it.
   */
  async add(
    accountId: string,
    datagridId: string,
    body: CreateColumnDto,
  ): Promise<Item<ColumnDto>> {
    return this.underLock(accountId, datagridId, async ({ lastRowId, rowCount }) => {
      const place = await this.repository.getPlace(datagridId, body.key);
      // Under this slot there may be values of a removed column; not where no row ever was.
      const slot = place.isSlotUsed && lastRowId > 0 ? `${body.key}~${place.nextId}` : body.key;
      const column = withIndexFor(newColumn(body, place.nextId, slot), lastRowId);
      refuseProblems(column);
      if (place.isKeyTaken) throw keyTaken();
      if (place.living >= this.config.maxColumns) throw tooManyColumns(this.config.maxColumns);
      this.refuseMetadata(place.metadataBytes + metadataBytes(column), column);
      if (column.required) refuseRowsAgainst(rowsWithoutValue(rowCount));
      await this.repository.insert(datagridId, column);
      const keepsPlain = slot === body.key;
      await this.repository.touch(accountId, datagridId, { keepsPlain, keepsChecks: false });
      return toColumnItem(column);
    });
  }

  /**
   * Values are never converted: a type or a choice changes only where every stored value is, as
   * it stands, a value of the column after the change.
   * @throws AppError `not_found`, `precondition_failed` where the column has moved on,
   *   `invalid_request`, or `conflict` saying how many rows conflict with the change;
   *   `rate_limited` or `unavailable` where too many rows are being checked already.
   */
  async update(
    accountId: string,
    datagridId: string,
    key: string,
    body: UpdateColumnDto,
    ifMatch: IfMatch,
  ): Promise<Item<ColumnDto>> {
    return this.underLock(accountId, datagridId, async ({ lastRowId }) => {
      const before = await this.getMatching(datagridId, key, lastRowId, ifMatch);
      const changed = changedColumn(before, body);
      refuseProblems(changed);
      if (isShownAlike(before, changed)) return toColumnItem({ ...before, lastRowId });
      const version = before.version + 1;
      const after = { ...withIndexAfter(before, changed, lastRowId), version };
      const grown = metadataBytes(after) - metadataBytes(before);
      if (grown > 0) {
        this.refuseMetadata((await this.repository.getMetadataBytes(datagridId)) + grown, after);
      }
      await this.transition.run({ accountId, datagridId }, before, after);
      const change = { ...after, metadataBytes: metadataBytes(after) };
      await this.repository.update(datagridId, after.id, change);
      const keepsChecks = isCheckedAlike(before, after);
      await this.repository.touch(accountId, datagridId, { keepsPlain: true, keepsChecks });
      return toColumnItem({ ...after, lastRowId });
    });
  }

  /**
   * The values are gone for every reader at once. They stay in the rows, under a slot that no
   * other column ever takes; what its index and claims leave is cleared away in the background.
   * @throws AppError `not_found`, or `precondition_failed` where the column has moved on.
   */
  async remove(
    accountId: string,
    datagridId: string,
    key: string,
    ifMatch: IfMatch,
    by: Actor,
  ): Promise<void> {
    await this.underLock(accountId, datagridId, async ({ lastRowId }) => {
      const column = await this.getMatching(datagridId, key, lastRowId, ifMatch);
      const leftovers = leftoversAfter(column, null, lastRowId);
      const change = { removedAt: new Date(), indexedTo: null, options: {}, ...leftovers };
      await this.repository.update(datagridId, column.id, change);
      const keepsPlain = lastRowId === 0;
      await this.repository.touch(accountId, datagridId, { keepsPlain, keepsChecks: false });
      const target = auditTarget('datagrid', datagridId);
      const details = { column: key };
      await this.audit.record(accountId, by, 'column_removed', target, { details });
    });
  }

  /** @throws AppError `invalid_request` */
  private refuseMetadata(bytes: number, { options }: ColumnRecord): void {
    const field = options.choices ? 'options.choices' : 'title';
    refuseMuchMetadata(bytes, this.config.maxColumnMetadataBytes, field);
  }

  /** Under the datagrid's lock: what holds here holds until the change is made. */
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

  private underLock<T>(
    accountId: string,
    datagridId: string,
    work: (datagrid: LockedDatagrid) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () =>
      work(found(await this.repository.lock(accountId, datagridId), 'Datagrid')),
    );
  }
}

function found<T extends ColumnRecord | LockedDatagrid>(value: T | null, kind = 'Column'): T {
  if (!value) throw notFound(kind);
  return value;
}
