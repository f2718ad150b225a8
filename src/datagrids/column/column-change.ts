import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import type { Writer } from '../change-log/change-log-sql';
import { ColumnRepository, type LockedDatagrid, type Touch } from './column.repository';

/** Runs changes of columns. Those of one datagrid run one after another. */
@Injectable()
export class ColumnChange {
  constructor(
    private readonly database: Database,
    private readonly repository: ColumnRepository,
  ) {}

  /**
   * Runs a change in one transaction that holds the datagrid's lock.
   * @throws AppError `not_found` if the account has no such datagrid.
   */
  underLock<T>(
    accountId: string,
    datagridId: string,
    work: (datagrid: LockedDatagrid) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const datagrid = await this.repository.lock(accountId, datagridId);
      if (!datagrid) throw notFound('Datagrid');
      return work(datagrid);
    });
  }

  /**
   * Records the change. Call it once, under the lock.
   * @throws AppError `not_found` if the datagrid was deleted before its columns were locked.
   */
  async touch(writer: Writer, datagridId: string, change: Touch): Promise<void> {
    if (!(await this.repository.touch(writer, datagridId, change))) throw notFound('Datagrid');
  }
}
