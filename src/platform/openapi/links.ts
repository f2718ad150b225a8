import type { LinksObject, OperationObject, ResponsesObject } from '@nestjs/swagger';
import type { Operation } from './naming';

const CREATED_ID = '$response.body#/data/id';
const inPath = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `$request.path.${name}`]));

interface Following {
  /** Parameters of the paths of all of the operations. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly operations: readonly string[];
}

/** Operations that can follow a success of an operation. */
const FOLLOWING: Readonly<Record<string, Following>> = {
  createWorkspace: {
    parameters: { workspaceId: CREATED_ID },
    operations: [
      'getWorkspace',
      'deleteWorkspace',
      'createDatagrid',
      'createWebhook',
      'createConnection',
    ],
  },
  createDatagrid: {
    parameters: { datagridId: CREATED_ID },
    operations: [
      'getDatagrid',
      'updateDatagrid',
      'deleteDatagrid',
      'addColumn',
      'createRow',
      'importRows',
      'listRows',
      'queryRows',
      'aggregateRows',
      'exportRows',
      'batchRows',
      'deleteMatchingRows',
      'listChanges',
      'createView',
    ],
  },
  addColumn: {
    parameters: { ...inPath('datagridId'), key: '$response.body#/data/key' },
    operations: ['getColumn', 'previewColumn', 'updateColumn', 'deleteColumn'],
  },
  deleteColumn: { parameters: inPath('datagridId'), operations: ['listDeletedColumns'] },
  createRow: {
    parameters: { ...inPath('datagridId'), rowId: CREATED_ID },
    operations: ['getRow', 'updateRow', 'replaceRow', 'deleteRow', 'listHistoryOfRow'],
  },
  deleteRow: { parameters: inPath('datagridId'), operations: ['listDeletedRows'] },
  importRows: {
    parameters: { ...inPath('datagridId'), importId: CREATED_ID },
    operations: ['getImport', 'cancelImport'],
  },
  createView: {
    parameters: { ...inPath('datagridId'), viewId: CREATED_ID },
    operations: ['getView', 'updateView', 'deleteView', 'createViewLink'],
  },
  createSqlQuery: {
    parameters: { ...inPath('workspaceId'), queryId: CREATED_ID },
    operations: ['getSqlQuery', 'updateSqlQuery', 'deleteSqlQuery'],
  },
  createViewLink: {
    parameters: inPath('datagridId', 'viewId'),
    operations: ['getViewLink', 'deleteViewLink'],
  },
  createWebhook: {
    parameters: { ...inPath('workspaceId'), webhookId: CREATED_ID },
    operations: [
      'getWebhook',
      'updateWebhook',
      'deleteWebhook',
      'rotateWebhook',
      'testWebhook',
      'replayWebhook',
      'listDeliveries',
    ],
  },
  createConnection: {
    parameters: { ...inPath('workspaceId'), connectionId: CREATED_ID },
    operations: [
      'getConnection',
      'updateConnection',
      'deleteConnection',
      'testConnection',
      'listConnectionTables',
      'listConnectionRuns',
      'createScheduledImport',
    ],
  },
  createScheduledImport: {
    parameters: { ...inPath('workspaceId', 'connectionId'), scheduledImportId: CREATED_ID },
    operations: [
      'getScheduledImport',
      'updateScheduledImport',
      'deleteScheduledImport',
      'runScheduledImport',
      'listScheduledImportRuns',
    ],
  },
  deleteWorkspace: {
    parameters: { itemId: '$request.path.workspaceId' },
    operations: ['restoreTrashItem', 'purgeTrashItem'],
  },
  deleteDatagrid: {
    parameters: { itemId: '$request.path.datagridId' },
    operations: ['restoreTrashItem', 'purgeTrashItem'],
  },
};

/** Adds links to the operations that can follow a success, which tools use to test sequences. */
export function withLinks({ spec }: Operation): OperationObject {
  const following = FOLLOWING[spec.operationId ?? ''];
  if (!following) return spec;
  const links: LinksObject = Object.fromEntries(
    following.operations.map((operationId) => [
      operationId,
      { operationId, parameters: { ...following.parameters } },
    ]),
  );
  const responses = Object.entries(spec.responses).map(([status, response]) => [
    status,
    Number(status) < 300 ? { ...response, links } : response,
  ]);
  return { ...spec, responses: Object.fromEntries(responses) as ResponsesObject };
}
