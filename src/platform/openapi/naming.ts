import type { OperationObject, TagObject } from '@nestjs/swagger';
import type { Operation } from './operations';

/** Tags of the routes of each resource, by controller name. */
const TAGS: Readonly<Record<string, TagObject>> = {
  Auth: { name: 'Me', description: 'Whose key this is, and what it may do.' },
  Workspace: {
    name: 'Workspaces',
    description: 'Workspaces hold datagrids. Their names are unique in an account.',
  },
  Datagrid: {
    name: 'Datagrids',
    description: 'Datagrids are sheets with typed columns. Their names are unique in a workspace.',
  },
  Column: {
    name: 'Columns',
    description: 'The columns of a datagrid; reading the datagrid gives all of them.',
  },
  TrashItem: {
    name: 'Trash',
    description: 'What was deleted and can be restored, until its time is over.',
  },
  Row: { name: 'Rows', description: 'The rows of a datagrid, in the order of their ids.' },
  Import: {
    name: 'Imports',
    description: 'What became of imports of rows; kept for 7 days after their end.',
  },
  Record: {
    name: 'Records',
    description: 'Another name for rows: each of these routes does what the same one of Rows does.',
  },
};

/** Resources of controllers that are not named after their resource. */
const RESOURCES: Readonly<Record<string, string>> = {
  RowSet: 'Row',
  RowImport: 'Row',
  RowExport: 'Row',
};

/** Controller methods that handle several objects. */
const PLURAL: ReadonlySet<string> = new Set([
  'list',
  'query',
  'batch',
  'upsert',
  'deleteMatching',
  'export',
]);

/** Replacements for method names that would not read well in an operation id. */
const VERBS: Readonly<Record<string, string>> = { me: 'get', merge: 'update' };

export const API_TAGS: readonly TagObject[] = Object.values(TAGS);

/** Returns an id such as `Workspace.list`, which `named` turns into the published id. */
export const rawOperationId = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '')}.${method}`;

/** Sets an operation's published id, such as `listWorkspaces`, and its tag. */
export function named({ path, spec }: Operation): OperationObject {
  // If a handler has several paths, Nest numbers its routes: `Row.list[1]`.
  const [name = '', method = ''] = (spec.operationId ?? '').replace(/\[\d+\]$/, '').split('.');
  const controller = RESOURCES[name] ?? name;
  const isAlias = controller === 'Row' && path.includes('/records');
  const resource = isAlias ? 'Record' : controller;
  return {
    ...spec,
    operationId: operationId(resource, method),
    ...(isAlias && { description: `The same as \`${operationId(controller, method)}\`.` }),
    tags: [TAGS[resource]?.name ?? resource],
  };
}

function operationId(resource: string, method: string): string {
  const noun = resource === 'Auth' ? 'Me' : resource;
  return `${VERBS[method] ?? method}${noun}${PLURAL.has(method) ? 's' : ''}`;
}
