import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';
import { DatabaseGate } from '../../platform/database/database-gate';
import { type ViewRecord, ViewRepository } from './view.repository';

/** Reads the views that row queries name. */
@Injectable()
export class ViewReader {
  constructor(
    private readonly repository: ViewRepository,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Returns the view that a query names. A query without a view runs no statement.
   * @param id Id in lower case.
   * @returns `null` if the query names none.
   * @throws AppError `not_found`, `rate_limited` or `unavailable`.
   */
  async find(
    accountId: string,
    datagridId: string,
    id: string | undefined,
  ): Promise<ViewRecord | null> {
    if (id === undefined) return null;
    if (!isUuid(id)) throw notFound('View');
    const view = await this.gate.run(accountId, () =>
      this.repository.find(accountId, datagridId, id),
    );
    if (!view) throw notFound('View');
    return view;
  }
}
