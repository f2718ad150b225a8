import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../../datagrids/column-type/column-type';
import { Database } from '../../platform/database/database';
import { indexTable } from '../index/index-sql';
import { INDEX_STATEMENTS, INDEXED_COLUMNS } from './index-check-sql';
import type { Check, Finding, ProblemKind } from './problem';

const MEANING = {
  index_missing: 'have no entry in its index: they may not be found',
  index_wrong: 'stand in its index with another value: they may not be found',
  index_stale: 'have an entry too much in its index: they may be found where they should not',
} as const satisfies Partial<Record<ProblemKind, string>>;

interface IndexedColumn {
  readonly id: number;
  readonly type: ColumnType;
}

interface Found {
  readonly kind: keyof typeof MEANING;
  readonly columnId: number;
  readonly column: string | null;
  readonly entries: number;
  readonly firstRowId: number;
}

/**
 * Compares the indexes of columns with the rows, each index in its own statement. Also finds
 * entries of columns that have no index.
 */
@Injectable()
export class IndexCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const found: Found[] = [];
    const columns = await this.columns(datagridId);
    for (const { table, find, findLeft } of INDEX_STATEMENTS) {
      for (const { id } of columns.filter(({ type }) => indexTable(type) === table)) {
        found.push(...(await this.database.run<Found>(find, [datagridId, id])));
      }
      found.push(...(await this.database.run<Found>(findLeft, [datagridId])));
    }
    return found.map(({ kind, ...figures }) => {
      const column = figures.column ?? `number ${String(figures.columnId)}`;
      const message = `${String(figures.entries)} rows of column ${column} ${MEANING[kind]}`;
      return { kind, message, figures };
    });
  }

  async repair(datagridId: string): Promise<void> {
    const columns = await this.columns(datagridId);
    for (const { table, repair, removeLeft } of INDEX_STATEMENTS) {
      await this.database.run(removeLeft, [datagridId]);
      for (const { id } of columns.filter(({ type }) => indexTable(type) === table)) {
        await this.database.run(repair, [datagridId, id]);
      }
    }
  }

  private async columns(datagridId: string): Promise<IndexedColumn[]> {
    return this.database.run<IndexedColumn>(INDEXED_COLUMNS, [datagridId]);
  }
}
