import { Injectable } from '@nestjs/common';
import { isComparable } from '../../datagrids/column-type/column-type';
import { hasIndex } from '../../datagrids/column/column-record';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import type { IndexOperator } from './filter/operators';
import { type ColumnFilter, isEveryRow } from './filter/parse-filter';
import { conjuncts, indexUse, MIN_AUTOMATIC_SELECTIVITY, scannedColumn } from './plan/query-parts';
import type { QueryRequest } from './query-request';

/** Maximum number of columns of one account, and of all accounts, whose reads are counted together. */
const MAX_ACCOUNT_COLUMNS = 50;
const MAX_COLUMNS = 2_000;

/** A range is worth an index if at most this share of the rows matches. */
const MAX_MATCHING_SHARE = 1 / 20;

/** Reads of columns of one datagrid: numbers of queries by column id. */
export interface DatagridReads {
  readonly accountId: string;
  readonly datagridId: string;
  readonly columns: Map<number, number>;
}

/** Numbers of rows that a query found; `null` if it took too long. */
type Found = { readonly total: number; readonly rowCount: number } | null;

/**
 * Counts the queries that read an automatic index, and those that scan a large datagrid because a
 * column has no index. A background task stores the numbers.
 */
@Injectable()
export class ColumnReads {
  private reads = new Map<string, DatagridReads>();
  /** Number of columns by account, and in all. */
  private counted = new Map<string, number>();
  private total = 0;

  constructor(private readonly config: AppConfig) {}

  /** Counts a query. Those beyond the bounds are not counted until the numbers are taken. */
  note(accountId: string, datagridId: string, request: QueryRequest, found: Found): void {
    if (this.config.maxAutomaticIndexes === 0) return;
    if (found && found.rowCount < this.config.automaticIndexMinRows) return;
    for (const { id } of readColumns(request, found)) this.add(accountId, datagridId, id);
  }

  private add(accountId: string, datagridId: string, columnId: number): void {
    const columns = new Map<number, number>();
    const known = this.reads.get(datagridId) ?? { accountId, datagridId, columns };
    const reads = known.columns.get(columnId);
    if (reads === undefined) {
      const ofAccount = this.counted.get(accountId) ?? 0;
      if (ofAccount >= MAX_ACCOUNT_COLUMNS || this.total >= MAX_COLUMNS) return;
      this.counted.set(accountId, ofAccount + 1);
      this.total += 1;
      this.reads.set(datagridId, known);
    }
    known.columns.set(columnId, (reads ?? 0) + 1);
  }

  /** Returns the numbers since the last call. */
  take(): DatagridReads[] {
    const taken = [...this.reads.values()];
    this.reads = new Map();
    this.counted = new Map();
    this.total = 0;
    return taken;
  }
}

/** Returns the column whose automatic index a query uses, or the columns whose index would serve it. */
function readColumns(request: QueryRequest, found: Found): readonly SchemaColumn[] {
  const used = indexUse(request.filter)?.column ?? scannedColumn(request);
  if (used) return used.automatic ? [used] : [];
  // Visitors of a public link may use an index, but not cause one.
  if (request.isPublic) return [];
  const { filter, search, sort } = request;
  const parts = conjuncts(filter).filter(isIndexable);
  const selective = parts.filter(
    ({ operator }) => operator.index.selectivity >= MIN_AUTOMATIC_SELECTIVITY,
  );
  if (selective.length > 0) return [...new Set(selective.map(({ column }) => column))];
  const [range] = parts;
  if (range) {
    const isAlone = search === null && conjuncts(filter).every((part) => isPartOf(part, range));
    return isAlone && isSmallShare(request, found) ? [range.column] : [];
  }
  const column = sort[0]?.column;
  const isSorted = column && !column.attribute && isEveryRow(filter) && search === null;
  return isSorted && isComparable(column.type) ? [column] : [];
}

type IndexableFilter = ColumnFilter & { readonly operator: IndexOperator };

const isIndexable = (part: ReturnType<typeof conjuncts>[number]): part is IndexableFilter =>
  part.kind === 'column' &&
  part.operator.index !== null &&
  !hasIndex(part.column) &&
  isComparable(part.column.type) &&
  !('attribute' in part.column);

const isPartOf = (part: ReturnType<typeof conjuncts>[number], other: IndexableFilter): boolean =>
  isIndexable(part) && part.column === other.column;

function isSmallShare({ pagination }: QueryRequest, found: Found): boolean {
  if (found === null) return true;
  return pagination.kind === 'page' && found.total <= found.rowCount * MAX_MATCHING_SHARE;
}
