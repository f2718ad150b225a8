import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { BudgetedQueries } from '../../platform/database/budgeted-queries';
import { LargeRows } from '../read/large-rows';
import type { RowVersion } from '../read/row-version.repository';
import type { FindRequest } from './find-request';
import { findSql, queryKind, type Printing } from './find-sql';

export interface Found extends RowVersion {
  readonly total: number;
  /** How many rows the page has. */
  readonly count: number;
  /** The rows as a JSON array, in order; `null` where it is larger than may be given. */
  readonly json: string | null;
  /** The id, then the sort values as text, of a walk's last row; `null` where no more follow. */
  readonly next: readonly [number, ...(string | null)[]] | null;
}

@Injectable()
export class FindRepository {
  constructor(
    private readonly queries: BudgetedQueries,
    private readonly largeRows: LargeRows,
  ) {}

  /**
   * @returns `null` where the account has no such datagrid, or it has other columns by now.
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
      // Large rows take as long to print as many small ones do to look at.
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
