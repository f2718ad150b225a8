import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { BudgetedQueries } from '../../platform/database/budgeted-queries';
import { LargeRows } from '../read/large-rows';
import type { RowVersion } from '../read/row-version.repository';
import type { FindRequest } from './find-request';
import { findSql, queryKind, type Printing } from './find-sql';

export interface Found extends RowVersion {
  readonly total: number;
  /** Number of rows on the page. */
  readonly count: number;
  /** Rows as a JSON array, in order; `null` if the page exceeds `maxBytes`. */
  readonly json: string | null;
  /** Id and sort values, as text, of the last row of a cursor page; `null` if no rows follow. */
  readonly next: readonly [number, ...(string | null)[]] | null;
}

@Injectable()
export class FindRepository {
  constructor(
    private readonly queries: BudgetedQueries,
    private readonly largeRows: LargeRows,
  ) {}

  /**
   * Reads one page of the rows that match.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   * @throws BudgetExceededError, or AppError as `BudgetedQueries.run`.
   */
  async find(
    accountId: string,
    schema: DatagridSchema,
    request: FindRequest,
    maxBytes: number,
  ): Promise<Found | null> {
    const find = async (printing: Printing): Promise<Found | null> => {
      const { text, values } = findSql(accountId, schema, request, maxBytes, printing);
      // Printing large rows takes as long as scanning many small ones.
      const kind = printing === 'oneByOne' ? 'scan' : queryKind(request);
      const [found] = await this.queries.run<Found>(accountId, text, values, kind);
      return found ?? null;
    };
    const { datagridId } = schema;
    if (!this.largeRows.mayHave(datagridId)) {
      const found = await find('together');
      if (found?.json !== null) return found;
      this.largeRows.note(datagridId);
    }
    return find('oneByOne');
  }
}
