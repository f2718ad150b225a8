import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import { conflict, invalidField, invalidRequest, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName, isUuid, newId } from '../common/text/id';
import { isComparable } from '../datagrids/column-type/column-type';
import {
  type DatagridSchema,
  findShownColumn,
  type SchemaColumn,
} from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import { etagOf } from '../platform/http/etag';
import { takesType } from '../rows/query/aggregate-function';
import { parseSort } from '../rows/query/cursor';
import { parseFilter } from '../rows/query/filter/parse-filter';
import { requireAffordable } from '../rows/query/filter/query-cost';
import { StoredFilter } from '../rows/query/filter/stored-filter';
import { type DateBucket, hasPeriods } from '../rows/query/query-column';
import { searchErrors } from '../rows/query/row-query';
import { SavedQueries } from '../rows/query/saved-query';
import {
  type CreateViewDto,
  MAX_VIEWS,
  type UpdateViewDto,
  type ViewColumnDto,
  type ViewDto,
  withFreeViewName,
} from './dto/view.dto';
import {
  filterOf,
  layoutOf,
  queryColumnIds,
  savedQueryOf,
  sortOf,
  storedSort,
} from './view-selection';
import type { StoredViewColumn } from './view.entity';
import { ViewLinkService } from './link/view-link.service';
import { type NewView, type ViewRecord, type ViewRef, ViewRepository } from './view.repository';

/** Maximum length of a filter as JSON, so that a list of views stays small. */
const MAX_FILTER_BYTES = 16 * 1024;

type StoredQuery = Pick<
  NewView,
  'filter' | 'sort' | 'q' | 'columns' | 'groupColumnId' | 'colorColumnId'
>;

type StoredGroups = Pick<NewView, 'groupColumnId' | 'groupBucket'>;

/** Saved views of one account's datagrids. */
@Injectable()
export class ViewService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly repository: ViewRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly links: ViewLinkService,
    private readonly savedQueries: SavedQueries,
    private readonly gate: DatabaseGate,
  ) {}

  onModuleInit(): void {
    this.savedQueries.register(async (accountId, datagridId, id) => {
      if (!isUuid(id)) throw notFound('View');
      const find = (): Promise<ViewRecord | null> =>
        this.repository.find(accountId, datagridId, id);
      return savedQueryOf(found(await this.gate.run(accountId, find)));
    });
  }

  /**
   * @throws AppError `not_found` for the datagrid, `invalid_request`, `query_too_expensive`, or
   *   `conflict` if the name is taken or the datagrid has MAX_VIEWS views.
   */
  async create(
    accountId: string,
    datagridId: string,
    body: CreateViewDto,
  ): Promise<JsonResponse<ViewDto>> {
    const schema = await this.schemas.get(accountId, datagridId);
    const query = {
      ...{ filter: null, sort: null, q: null, columns: [] },
      ...{ groupColumnId: null, groupBucket: null, colorColumnId: null },
      ...stored(schema, body),
    };
    const groupBucket = storedBucket(schema, query, query.groupColumnId, body.groupBucket);
    const id = newId();
    return withFreeViewName(() =>
      this.database.transaction(async () => {
        if (!(await this.repository.holdDatagrid(accountId, datagridId))) {
          throw notFound('Datagrid');
        }
        if ((await this.repository.count(datagridId)) >= MAX_VIEWS) throw tooManyViews();
        await this.repository.insert({
          id,
          datagridId,
          name: body.name,
          nameKey: foldName(body.name),
          ...query,
          groupBucket,
          queryColumnIds: queryColumnIds(query.filter, query.sort),
        });
        return toItem(schema, found(await this.repository.find(accountId, datagridId, id)));
      }),
    );
  }

  /** @throws AppError `not_found` for the datagrid. */
  async list(
    accountId: string,
    datagridId: string,
    page: PageRequest,
  ): Promise<JsonResponse<ViewDto[]>> {
    const schema = await this.schemas.get(accountId, datagridId);
    const [views, total] = await this.repository.list(datagridId, page);
    return JsonResponse.page(
      views.map((view) => toDto(schema, view)),
      total,
      page,
    );
  }

  /** @throws AppError `not_found` */
  async get({ accountId, datagridId, id }: ViewRef): Promise<JsonResponse<ViewDto>> {
    const schema = await this.schemas.get(accountId, datagridId);
    return toItem(schema, found(await this.repository.find(accountId, datagridId, id)));
  }

  /**
   * @throws AppError `not_found`, `invalid_request`, `query_too_expensive`, `precondition_failed` if
   *   the view has changed, or `conflict` if the name is taken.
   */
  async update(
    ref: ViewRef,
    body: UpdateViewDto,
    ifMatch: IfMatch,
  ): Promise<JsonResponse<ViewDto>> {
    const { accountId, datagridId, id } = ref;
    const schema = await this.schemas.get(accountId, datagridId);
    const change = stored(schema, body);
    const { name } = body;
    return withFreeViewName(() =>
      this.database.transaction(async () => {
        const before = await this.lockMatching(schema, ref, ifMatch);
        const { filter, sort, groupColumnId } = { ...before, ...change };
        await this.repository.update(datagridId, id, {
          ...change,
          ...(name !== undefined && { name, nameKey: foldName(name) }),
          groupBucket: storedBucket(schema, before, groupColumnId, body.groupBucket),
          queryColumnIds: queryColumnIds(filter, sort),
        });
        return toItem(schema, found(await this.repository.find(accountId, datagridId, id)));
      }),
    );
  }

  /**
   * Deletes a view and its public link.
   * @throws AppError `not_found`, or `precondition_failed` if the view has changed.
   */
  async delete(ref: ViewRef, ifMatch: IfMatch, by: Caller): Promise<void> {
    const schema = await this.schemas.get(ref.accountId, ref.datagridId);
    await this.database.transaction(async () => {
      await this.links.revokeOf(await this.lockMatching(schema, ref, ifMatch), by);
      await this.repository.delete(ref.datagridId, ref.id);
    });
  }

  private async lockMatching(
    schema: DatagridSchema,
    { accountId, datagridId, id }: ViewRef,
    ifMatch: IfMatch,
  ): Promise<ViewRecord> {
    await this.repository.lock(datagridId, id);
    const view = found(await this.repository.find(accountId, datagridId, id));
    ifMatch.require(toItem(schema, view).etag);
    return view;
  }
}

/**
 * Checks what a view selects and shows, and returns it as it is stored. Absent properties stay absent.
 * @throws AppError `invalid_request`, or `query_too_expensive` as for a query.
 */
function stored(schema: DatagridSchema, body: UpdateViewDto): Partial<StoredQuery> {
  const { filter, sort, q, columns, groupBy, colorBy } = body;
  const searchProblems = typeof q === 'string' ? searchErrors(q) : [];
  if (searchProblems.length > 0) throw invalidRequest(searchProblems);
  if (typeof sort === 'string') parseSort(schema, sort);
  return {
    ...(filter !== undefined && { filter: filter && checkedFilter(schema, filter, q) }),
    ...(sort !== undefined && { sort: sort === null ? null : storedSort(schema, sort) }),
    ...(q !== undefined && { q }),
    ...(columns !== undefined && { columns: storedColumns(schema, columns) }),
    ...(groupBy !== undefined && { groupColumnId: groupColumnId(schema, groupBy) }),
    ...(colorBy !== undefined && { colorColumnId: colorColumnId(schema, colorBy) }),
  };
}

function checkedFilter(
  schema: DatagridSchema,
  filter: Record<string, unknown>,
  q: string | null | undefined,
): string {
  if (Buffer.byteLength(JSON.stringify(filter)) > MAX_FILTER_BYTES) {
    const message = `must not be longer than ${String(MAX_FILTER_BYTES)} bytes of JSON`;
    throw invalidRequest([{ field: 'filter', code: 'too_large', message }]);
  }
  requireAffordable(parseFilter(schema, filter), q ?? undefined);
  return StoredFilter.textOf(schema, filter);
}

function storedColumns(
  schema: DatagridSchema,
  columns: readonly ViewColumnDto[],
): StoredViewColumn[] {
  const listed = new Set<number>();
  return columns.map(({ key, ...layout }, index) => {
    const field = `columns.${String(index)}.key`;
    const column = findShownColumn(schema, key);
    if (!column) {
      const message = 'is not a column of this datagrid';
      throw invalidRequest([{ field, code: 'unknown_column', message }]);
    }
    // A column can be named by its key and by a previous one.
    if (listed.has(column.id)) {
      const message = 'duplicates an earlier column';
      throw invalidRequest([{ field, code: 'duplicate_column', message }]);
    }
    const { summary } = layout;
    if (summary !== undefined && !takesType(summary, column.type)) {
      const message = `cannot compute ${summary} of ${key}, a column of type ${column.type}`;
      const path = `columns.${String(index)}.summary`;
      throw invalidField(path, 'incompatible_parameters', message);
    }
    listed.add(column.id);
    return { id: column.id, ...layout };
  });
}

function groupColumnId(schema: DatagridSchema, key: string | null): number | null {
  if (key === null) return null;
  const column = knownColumn(schema, key, 'groupBy');
  if (isComparable(column.type)) return column.id;
  const message = `cannot group by ${key}, a column of type ${column.type}`;
  throw invalidField('groupBy', 'incompatible_parameters', message);
}

/**
 * Returns the period of the groups to store. If the request has none, the period stays unless the
 * column of the groups changes.
 * @throws AppError `invalid_request` if a period is sent, and the view has no groups of dates.
 */
function storedBucket(
  schema: DatagridSchema,
  before: StoredGroups,
  groupColumnId: number | null,
  bucket: DateBucket | null | undefined,
): DateBucket | null {
  if (bucket === undefined) {
    return groupColumnId === before.groupColumnId ? before.groupBucket : null;
  }
  if (bucket === null) return null;
  const column = columnOf(schema, groupColumnId);
  if (column && hasPeriods(column.type)) return bucket;
  const message = column
    ? `cannot group ${column.key}, a column of type ${column.type}, by periods`
    : 'requires groupBy, with the key of a date or datetime column';
  throw invalidField('groupBucket', 'incompatible_parameters', message);
}

function colorColumnId(schema: DatagridSchema, key: string | null): number | null {
  if (key === null) return null;
  const column = knownColumn(schema, key, 'colorBy');
  if (column.type === 'select') return column.id;
  const message = `cannot color by ${key}, a column of type ${column.type}`;
  throw invalidField('colorBy', 'incompatible_parameters', message);
}

function knownColumn(schema: DatagridSchema, key: string, field: string): SchemaColumn {
  const column = findShownColumn(schema, key);
  if (column) return column;
  throw invalidField(field, 'unknown_column', 'is not a column of this datagrid');
}

function columnOf(schema: DatagridSchema, id: number | null): SchemaColumn | undefined {
  return [...schema.columns.values()].find((column) => column.id === id);
}

function tooManyViews(): Error {
  const message = `The datagrid has ${String(MAX_VIEWS)} views, which is the maximum. Delete a view first.`;
  return conflict(message);
}

function found(view: ViewRecord | null): ViewRecord {
  if (!view) throw notFound('View');
  return view;
}

function toItem(schema: DatagridSchema, view: ViewRecord): JsonResponse<ViewDto> {
  const data = toDto(schema, view);
  return JsonResponse.of(data, etagOf(data, String(view.version)));
}

function toDto(schema: DatagridSchema, view: ViewRecord): ViewDto {
  const group = columnOf(schema, view.groupColumnId);
  const color = columnOf(schema, view.colorColumnId);
  return {
    id: view.id,
    name: view.name,
    filter: filterOf(schema, view),
    sort: sortOf(schema, view),
    q: view.q,
    columns: layoutOf(schema, view).map(({ column, layout }) => shownPlace(column, layout)),
    // A column that was removed or got another type since does not apply anymore.
    groupBy: group && isComparable(group.type) ? group.key : null,
    groupBucket: group && hasPeriods(group.type) ? view.groupBucket : null,
    colorBy: color?.type === 'select' ? color.key : null,
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}

function shownPlace({ key, type }: SchemaColumn, layout: StoredViewColumn): ViewColumnDto {
  const { width, hidden, pinned, summary } = layout;
  return {
    key,
    ...(width !== undefined && { width }),
    ...(hidden !== undefined && { hidden }),
    ...(pinned !== undefined && { pinned }),
    ...(summary !== undefined && takesType(summary, type) && { summary }),
  };
}
