import { createHash } from 'node:crypto';
import { AppError, conflict, fieldError } from '../common/error/app-error';
import { isComputed } from '../datagrids/column-type/column-type';
import {
  type DatagridSchema,
  findColumn,
  type SchemaColumn,
} from '../datagrids/schema/datagrid-schema';
import { parseSort } from '../rows/query/cursor';
import { EVERY_ROW, parseFilter } from '../rows/query/filter/parse-filter';
import { type FilterJson, StoredFilter } from '../rows/query/filter/stored-filter';
import type { SavedQuery, SavedSelection } from '../rows/query/saved-query';
import type { StoredViewColumn } from './view.entity';
import type { ViewRecord } from './view.repository';

const COLUMN_NAME = /^c(\d+)$/;

/** Returns the sort order to store. @param sort A sort order that is valid for the columns. */
export function storedSort(schema: DatagridSchema, sort: string): string {
  return renamedSort(sort, (key) => {
    const column = findColumn(schema, key);
    return column ? `c${String(column.id)}` : key;
  });
}

/** Returns the ids of the columns that a stored filter and a stored sort order name. */
export function queryColumnIds(filter: string | null, sort: string | null): number[] {
  const ids = new Set(filter === null ? [] : new StoredFilter(filter).columnIds);
  if (sort !== null) {
    renamedSort(sort, (name) => {
      const id = idOf(name);
      if (id !== null) ids.add(id);
      return name;
    });
  }
  return [...ids];
}

/** Returns the filter of a view with the present keys of its columns. */
export function filterOf(schema: DatagridSchema, view: ViewRecord): FilterJson | null {
  if (view.filter === null) return null;
  const present = [...schema.columns.values()].map(({ id, key }) => {
    return { id, key, isRemoved: false };
  });
  const removed = view.removed
    .filter(({ id }) => !present.some((column) => column.id === id))
    .map((column) => ({ ...column, isRemoved: true }));
  return new StoredFilter(view.filter).withKeys([...present, ...removed]);
}

/** Returns the sort order of a view with the present keys. A removed column is named `key~id`. */
export function sortOf(schema: DatagridSchema, { sort, removed }: ViewRecord): string | null {
  if (sort === null) return null;
  const keys = new Map(removed.map(({ id, key }) => [id, `${key}~${String(id)}`]));
  for (const { id, key } of schema.columns.values()) keys.set(id, key);
  return renamedSort(sort, (name) => {
    const id = idOf(name);
    return id === null ? name : (keys.get(id) ?? `~${String(id)}`);
  });
}

/** Returns the columns of a view that the datagrid still has, in the order of display. */
export function layoutOf(
  schema: DatagridSchema,
  { columns }: ViewRecord,
): { readonly column: SchemaColumn; readonly layout: StoredViewColumn }[] {
  const byId = new Map(schema.shown.map((column) => [column.id, column]));
  return columns.flatMap((layout) => {
    const column = byId.get(layout.id);
    return column ? [{ column, layout }] : [];
  });
}

/**
 * Returns what a view selects, for the columns of a schema.
 * @throws AppError `conflict` if its filter or its sort order names a removed column, or does not
 *   fit the columns anymore.
 */
export function selectionOf(schema: DatagridSchema, view: ViewRecord): SavedSelection {
  rejectRemoved(schema, view);
  const sort = sortOf(schema, view) ?? undefined;
  const filter = filterOf(schema, view);
  try {
    if (sort !== undefined) parseSort(schema, sort);
    return {
      filter: filter === null ? EVERY_ROW : parseFilter(schema, filter, 'view.filter'),
      sort,
      q: view.q ?? undefined,
      fields: fieldsOf(schema, view),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message: reason, details } = error;
    const message = `The view ${JSON.stringify(view.name)} does not fit the columns anymore (${reason}). Change the view.`;
    throw conflict(message, details);
  }
}

/** @throws AppError `conflict` */
function rejectRemoved(schema: DatagridSchema, view: ViewRecord): void {
  const present = new Set([...schema.columns.values()].map(({ id }) => id));
  const missing = view.queryColumnIds.find((id) => !present.has(id));
  if (missing === undefined) return;
  const key = view.removed.find(({ id }) => id === missing)?.key ?? `~${String(missing)}`;
  const message = `The view ${JSON.stringify(view.name)} filters or sorts by the column ${JSON.stringify(key)}, which was removed. Change the view.`;
  throw conflict(message, [fieldError('view', 'unknown_column', `names the column ${key}`)]);
}

/** Returns the visible columns; `null` if they are all columns in the order of the datagrid. */
function fieldsOf(schema: DatagridSchema, view: ViewRecord): SchemaColumn[] | null {
  const { shown } = schema;
  const visible = visibleColumns(schema, view);
  const isWhole =
    visible.length === shown.length && visible.every((each, at) => each === shown[at]);
  return isWhole ? null : visible;
}

/**
 * Returns the visible columns in the order of display. Columns that the view does not list follow
 * those that it lists.
 */
export function visibleColumns(schema: DatagridSchema, view: ViewRecord): SchemaColumn[] {
  const listed = layoutOf(schema, view);
  const known = new Set(listed.map(({ column }) => column));
  return [
    ...listed.flatMap(({ column, layout }) => (layout.hidden === true ? [] : [column])),
    ...schema.shown.filter((column) => !known.has(column)),
  ];
}

/**
 * Returns the visible columns that a public link can show. Values of linked datagrids are never
 * published: whether the admin who created the link has access to them is not known later.
 */
export function publishableColumns(schema: DatagridSchema, view: ViewRecord): SchemaColumn[] {
  return visibleColumns(schema, view).filter(({ type }) => !isComputed(type));
}

/**
 * Returns the columns that a public link shows, in the order of display: those that are visible in the
 * view and were visible when an admin created the link. So a new column, or one that an editor makes
 * visible, is not published, and one that is hidden disappears at once.
 * @param columnIds Ids of the columns that were visible when the link was created.
 */
export function publishedColumns(
  schema: DatagridSchema,
  view: ViewRecord,
  columnIds: readonly number[],
): SchemaColumn[] {
  const published = new Set(columnIds);
  return publishableColumns(schema, view).filter(({ id }) => published.has(id));
}

/** Returns a view as a query that requests can narrow. */
export function savedQueryOf(view: ViewRecord): SavedQuery {
  return {
    version: view.version,
    tag: tagOf(view),
    selectionOf: (schema) => selectionOf(schema, view),
  };
}

function tagOf({ id, filter, sort, q }: ViewRecord): string {
  const parts = JSON.stringify([id, filter, sort, q]);
  return createHash('sha256').update(parts).digest('base64url').slice(0, 8);
}

function idOf(name: string): number | null {
  const found = COLUMN_NAME.exec(name);
  return found ? Number(found[1]) : null;
}

function renamedSort(sort: string, rename: (name: string) => string): string {
  return sort
    .split(',')
    .map((name) => (name.startsWith('-') ? `-${rename(name.slice(1))}` : rename(name)))
    .join(',');
}
