import { Injectable } from '@nestjs/common';
import { AppError, invalidField } from '../../common/error/app-error';
import {
  type DatagridSchema,
  findColumn,
  type LinkColumn,
} from '../../datagrids/schema/datagrid-schema';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { LinkedRowIds, MAX_DEPTH, parseFilter, ROW_OPERATOR } from '../query/filter/parse-filter';
import { requireAffordable } from '../query/filter/query-cost';
import { queryTimeoutError } from '../query/query-errors';
import { SchemaBoundRead } from '../query/schema-bound-read';
import { type Reader, requireLinkAccess } from './link-access';
import { LinkedFilterRepository } from './linked-filter.repository';

/** Maximum number of `$row` conditions in a filter. Each is one more statement. */
const MAX_ROW_CONDITIONS = 3;
/** Maximum number of linked rows that a `$row` condition may match. */
const MAX_MATCHES = 10_000;

/**
 * Finds the linked rows that `$row` conditions of a filter match, before the query itself. So each of
 * them is a query of one datagrid, with the same bounds as any other.
 */
@Injectable()
export class LinkedFilterService {
  constructor(
    private readonly schemaBoundRead: SchemaBoundRead,
    private readonly repository: LinkedFilterRepository,
  ) {}

  /**
   * Returns a filter as the client sent it, with the ids of the matching rows in place of each `$row`
   * condition on a link column. Everything else is left for `parseFilter` to check. A filter without such
   * a condition is returned itself.
   * @throws AppError `invalid_request`, `forbidden`, `query_too_expensive`, or as `SchemaBoundRead.run`.
   */
  async resolve(reader: Reader, datagridId: string, filter: unknown): Promise<unknown> {
    const conditions = rowConditions(filter, 'filter', 1);
    if (conditions.length === 0) return filter;
    if (conditions.length > MAX_ROW_CONDITIONS) {
      const message = `must not contain more than ${String(MAX_ROW_CONDITIONS)} conditions with ${ROW_OPERATOR}`;
      throw invalidField('filter', 'too_many', message);
    }
    const { accountId } = reader;
    const schema = await this.schemaBoundRead.current(accountId, datagridId);
    const found = new Map<object, LinkedRowIds>();
    for (const { key, path, condition } of conditions) {
      const id = findColumn(schema, key)?.id;
      const column = schema.links.find((link) => link.id === id);
      if (!column || Object.keys(condition).length === 0) continue;
      requireLinkAccess(reader, column);
      const ids = await this.idsOf(reader, column, condition, `${path}.${ROW_OPERATOR}`);
      found.set(condition, new LinkedRowIds(ids));
    }
    return replaced(filter, found);
  }

  /** Returns the ids of the linked rows that match a condition. */
  private async idsOf(
    { accountId }: Reader,
    { options }: LinkColumn,
    condition: object,
    path: string,
  ): Promise<readonly number[]> {
    return this.schemaBoundRead.run(accountId, options.datagridId, (schema) =>
      this.find(accountId, schema, condition, path),
    );
  }

  private async find(
    accountId: string,
    schema: DatagridSchema,
    condition: object,
    path: string,
  ): Promise<readonly number[] | null> {
    const filter = parseFilter(schema, condition, path);
    requireAffordable(filter);
    try {
      const ids = await this.repository.findIds(accountId, schema, filter, MAX_MATCHES + 1);
      if (ids && ids.length > MAX_MATCHES) throw tooManyMatches(path);
      return ids;
    } catch (error) {
      if (!(error instanceof QueryTimeoutError)) throw error;
      throw below(path, queryTimeoutError({ filter, search: null, sort: [] }, error));
    }
  }
}

/** A condition on the linked rows of a column. */
interface RowCondition {
  readonly key: string;
  /** Path of the column in the request. */
  readonly path: string;
  readonly condition: object;
}

function rowConditions(json: unknown, path: string, depth: number): RowCondition[] {
  if (!isObject(json) || depth > MAX_DEPTH) return [];
  return Object.entries(json).flatMap(([name, value]): RowCondition[] => {
    const partPath = `${path}.${name}`;
    if (name === '$not') return rowConditions(value, partPath, depth + 1);
    if (name === '$and' || name === '$or') {
      const parts: readonly unknown[] = Array.isArray(value) ? value : [];
      return parts.flatMap((part, index) =>
        rowConditions(part, `${partPath}.${String(index)}`, depth + 1),
      );
    }
    const condition = isObject(value) ? value[ROW_OPERATOR] : undefined;
    return isObject(condition) ? [{ key: name, path: partPath, condition }] : [];
  });
}

/** Returns a copy of the filter in which found ids replace the operands of `$row`. */
function replaced(json: unknown, found: ReadonlyMap<object, LinkedRowIds>): unknown {
  if (Array.isArray(json)) return json.map((part) => replaced(part, found));
  if (!isObject(json)) return json;
  const ids = found.get(json);
  if (ids) return ids;
  const copied = Object.entries(json).map(([name, part]) => [name, replaced(part, found)] as const);
  return Object.fromEntries(copied);
}

type Members = Readonly<Record<string, unknown>>;

function isObject(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Returns the error with the paths of the columns of the linked datagrid. */
function below(path: string, { code, message, details, cause }: AppError): AppError {
  const fields = details.map((detail) => ({ ...detail, field: `${path}.${detail.field}` }));
  return new AppError(code, message, { details: fields, cause });
}

function tooManyMatches(path: string): AppError {
  const most = MAX_MATCHES.toLocaleString('en-US');
  const message = `matches more than ${most} linked rows; use a narrower condition`;
  return new AppError('query_too_expensive', 'Too many linked rows match.', {
    details: [{ field: path, code: 'too_many', message }],
  });
}
