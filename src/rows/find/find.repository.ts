import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { BudgetedQueries } from '../../platform/database/budgeted-queries';
import type { RowVersion } from '../read/row-version.repository';
import type { FindRequest } from './find-request';
import { findSql } from './find-sql';

export interface Found extends RowVersion {
  readonly total: number;
  /** For each row its id, then its sort values as text. */
  readonly places: readonly (readonly [number, ...(string | null)[]])[];
  /** The rows as JSON text, in order. */
  readonly rows: readonly string[];
}

@Injectable()
export class FindRepository {
  constructor(private readonly queries: BudgetedQueries) {}

  /**
   * @returns `null` where the account has no such datagrid, or it has other columns by now.
   * @throws BudgetExceededError
   */
  async find(
    accountId: string,
    schema: DatagridSchema,
    request: FindRequest,
  ): Promise<Found | null> {
    const { text, values } = findSql(accountId, schema, request);
    const [found] = await this.queries.run<Found>(text, values);
    return found ?? null;
  }
}
