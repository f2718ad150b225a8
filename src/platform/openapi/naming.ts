import type {
  ExternalDocumentationObject,
  OpenAPIObject,
  OperationObject,
  SchemaObject,
  TagObject,
} from '@nestjs/swagger';
import { minRoleOf } from '../../common/permission/permission';
import { type Access, changesData, PERMISSION_EXTENSION } from '../http/access';
import { NO_IDEMPOTENCY_EXTENSION } from '../idempotency/claim';

/** Path of the guides that the service serves beside the API reference. */
export const GUIDES = '/docs/guides';

/** Returns a link to a page of `docs/api`. */
const guide = (page: string): ExternalDocumentationObject => ({
  description: 'Guide',
  url: `${GUIDES}/api/${page}`,
});

/** Tags of the routes of each resource, by controller name, with the page that describes most of them. */
const TAGS: Readonly<Record<string, TagObject>> = {
  Auth: {
    name: 'Me',
    description: 'The current API key with its owner, role and limits.',
    externalDocs: guide('authentication'),
  },
  Workspace: {
    name: 'Workspaces',
    description: 'A workspace contains datagrids. Its name is unique in the account.',
    externalDocs: guide('workspaces'),
  },
  Datagrid: {
    name: 'Datagrids',
    description:
      'A datagrid is a sheet with typed columns. It contains rows. Its name is unique in the workspace.',
    externalDocs: guide('datagrids'),
  },
  Column: {
    name: 'Columns',
    description:
      'Columns define which values the rows of a datagrid can have. To read all columns, get the datagrid.',
    externalDocs: guide('columns'),
  },
  DeletedColumn: {
    name: 'Deleted columns',
    description:
      'Deleted columns of a datagrid. You can restore them until they expire, for 7 days by default.',
    externalDocs: guide('deleted-columns'),
  },
  TrashItem: {
    name: 'Trash',
    description:
      'Deleted workspaces and datagrids. You can restore them until they expire, for 7 days by default.',
    externalDocs: guide('trash'),
  },
  Row: {
    name: 'Rows',
    description:
      'Rows have a value in each column of their datagrid, or none. Every path also works with `records` in place of `rows`.',
    externalDocs: guide('rows'),
  },
  DeletedRow: {
    name: 'Deleted rows',
    description:
      'Deleted rows of a datagrid. You can restore them until they expire, for 7 days by default.',
    externalDocs: guide('history'),
  },
  Import: {
    name: 'Imports',
    description:
      'Reports of imports. The service keeps them for 7 days after the end of the import.',
    externalDocs: guide('imports'),
  },
  Change: {
    name: 'Changes',
    description:
      'Created, updated and deleted rows and changed columns, in the order of the writes, and the datagrids of a workspace that have changed.',
    externalDocs: guide('changes'),
  },
  View: {
    name: 'Views',
    description:
      'A view is a filter, a sort order, a search and a layout of columns of a datagrid, saved under a name.',
    externalDocs: guide('views'),
  },
  ViewLink: {
    name: 'Public links',
    description: 'A public link shows the rows of a view to anybody who has it.',
    externalDocs: guide('views'),
  },
  Webhook: {
    name: 'Webhooks',
    description: 'A webhook sends the changes of the datagrids of a workspace to a URL.',
    externalDocs: guide('webhooks'),
  },
  Delivery: {
    name: 'Deliveries',
    description: 'Attempts to deliver the events of a webhook.',
    externalDocs: guide('webhooks'),
  },
  Connection: {
    name: 'Connections',
    description: 'A connection syncs datagrids of a workspace to a data warehouse.',
    externalDocs: guide('connections'),
  },
  ConnectionTable: {
    name: 'Connection tables',
    description: 'The tables that a connection keeps, each with its progress.',
    externalDocs: guide('connections'),
  },
  ConnectionRun: {
    name: 'Connection runs',
    description: 'Runs that have changed or checked a table, or failed.',
    externalDocs: guide('connections'),
  },
  AuditEvent: {
    name: 'Audit events',
    description: 'Actions in the account, and who performed them.',
    externalDocs: guide('audit-events'),
  },
  Sql: {
    name: 'SQL',
    description: 'SQL reads the datagrids of a workspace as tables.',
    externalDocs: guide('sql'),
  },
  SqlQuery: {
    name: 'Saved queries',
    description:
      'A saved query is an SQL statement that the users of a workspace share under a name.',
    externalDocs: guide('sql'),
  },
  ScheduledImport: {
    name: 'Scheduled imports',
    description:
      'A scheduled import reads a query or a table of a connection into a datagrid, by key.',
    externalDocs: guide('scheduled-imports'),
  },
  ScheduledImportRun: {
    name: 'Scheduled import runs',
    description: 'Runs of a scheduled import that have ended.',
    externalDocs: guide('scheduled-imports'),
  },
};

/** Resources of controllers that are not named after their resource. */
const RESOURCES: Readonly<Record<string, string>> = {
  RowSet: 'Row',
  RowImport: 'Row',
  RowExport: 'Row',
  WorkspaceFeed: 'Change',
  RowHistory: 'Row',
  Undo: 'Row',
  RowTrash: 'DeletedRow',
  ColumnTrash: 'DeletedColumn',
  RowAggregate: 'Row',
};

/** Controller methods that handle several objects. */
const PLURAL: ReadonlySet<string> = new Set([
  'list',
  'listWorkspace',
  'query',
  'aggregate',
  'batch',
  'upsert',
  'deleteMatching',
  'import',
  'export',
  'undo',
  'restoreMany',
  'feed',
]);

/** Replacements for method names that would not read well in an operation id. */
const VERBS: Readonly<Record<string, string>> = {
  me: 'get',
  feed: 'listFeedOf',
  merge: 'update',
  remove: 'delete',
  history: 'listHistoryOf',
  tables: 'listTablesOf',
  undo: 'undoWriteOf',
  restoreMany: 'restore',
  testSettings: 'testSettingsOf',
};

/** Pages of operations that the page of their resource does not describe, by id. */
const PAGES: Readonly<Record<string, string>> = {
  aggregateRows: 'aggregates',
  batchRows: 'batch',
  deleteMatchingRows: 'batch',
  upsertRows: 'batch',
  exportRows: 'exports',
  importRows: 'imports',
  queryRows: 'filtering',
  listHistoryOfRow: 'history',
  restoreRow: 'history',
  undoWriteOfRows: 'history',
};

export const API_TAGS: readonly TagObject[] = Object.values(TAGS);

/** Returns an id such as `Workspace.list`, which `named` turns into the published id. */
export const rawOperationId = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '')}.${method}`;

/** Sets an operation's published id, such as `listWorkspaces`, its tag, and the link to its page. */
export function named({ spec }: Operation): OperationObject {
  // If a handler has several paths, Nest numbers its routes: `Row.list[1]`.
  const [name = '', method = ''] = (spec.operationId ?? '').replace(/\[\d+\]$/, '').split('.');
  const resource = RESOURCES[name] ?? name;
  const id = operationId(resource, method);
  const tag = TAGS[resource] ?? { name: resource };
  const page = PAGES[id];
  const externalDocs = page === undefined ? tag.externalDocs : guide(page);
  return { ...spec, operationId: id, tags: [tag.name], ...(externalDocs && { externalDocs }) };
}

function operationId(resource: string, method: string): string {
  const noun = resource === 'Auth' ? 'Me' : resource;
  const object = PLURAL.has(method) ? `${noun}s`.replace(/ys$/, 'ies') : noun;
  return `${VERBS[method] ?? method}${object}`;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** One route of the OpenAPI document. */
export interface Operation {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly spec: OperationObject;
}

/** Returns the access rule of an operation; `null` if it has none. */
export function accessRule({ spec }: Operation): Access | null {
  const extended: OperationObject & { readonly [PERMISSION_EXTENSION]?: Access } = spec;
  return extended[PERMISSION_EXTENSION] ?? null;
}

/** Returns whether a route changes data and accepts an `Idempotency-Key`. */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  changesData(accessRule(operation)) && !(NO_IDEMPOTENCY_EXTENSION in operation.spec);

/** Adds the role that an operation requires to its description, if not every role can use it. */
export function withRole(operation: Operation): OperationObject {
  const { spec } = operation;
  const access = accessRule(operation);
  const isOpen = access === null || access === 'public' || access === 'scim';
  const role = isOpen ? 'viewer' : minRoleOf(access);
  if (role === 'viewer') return spec;
  const roles = role === 'owner' ? `role \`${role}\`` : `role \`${role}\` or higher`;
  const description = `${spec.description ?? ''} Requires the ${roles}.`;
  return { ...spec, description: description.trim() };
}

/**
 * Returns part of the document with plain texts: schema names without the suffix of their classes,
 * and the text of comments on one line.
 */
export function withPlainTexts<T>(part: T): T {
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (key === '$ref') return schemaName(value);
    return key === 'summary' || key === 'description' ? value.replace(/\s+/g, ' ') : value;
  }) as T;
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Returns part of the document with its final schemas. Integers that can exceed 32 bits have a format,
 * without which clients generated for other languages would use 32 bits. Values of any type have no type:
 * a decorator describes them as `oneOf: [{}]`, because Nest adds a type if there is none.
 */
export function withFinalSchemas<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(withFinalSchemas) as T;
  const members = Object.entries(part).map(([name, value]: [string, unknown]) => [
    name,
    name === 'example' || name === 'examples' ? value : withFinalSchemas(value),
  ]);
  const copy = Object.fromEntries(members) as SchemaObject;
  if (JSON.stringify(copy.oneOf) === '[{}]') delete copy.oneOf;
  const isWide = copy.type === 'integer' && !(Math.abs(copy.maximum ?? Infinity) <= MAX_INT32);
  return (isWide ? { ...copy, format: 'int64' } : copy) as T;
}

/** Returns the published name of a schema, or a reference to it: `RowDto` becomes `Row`. */
export const schemaName = (className: string): string => className.replace(/Dto$/, '');

export function listOperations(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const spec = item[method];
      return spec ? [{ path, method, spec }] : [];
    }),
  );
}

/** Returns the document with every operation replaced by the result of `change`. */
export function mapOperations(
  document: OpenAPIObject,
  change: (operation: Operation) => OperationObject,
): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const operation of listOperations(document)) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: change(operation) };
  }
  return { ...document, paths };
}
