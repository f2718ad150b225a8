import type { LinksObject, OperationObject, ResponsesObject } from '@nestjs/swagger';
import type { Operation } from './naming';

const CREATED_ID = '$response.body#/data/id';
const inPath = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `$request.path.${name}`]));

/** Parameters of the operations that can follow an operation, by both operation ids. */
const LINKS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> =
  {
    createWorkspace: {
      getWorkspace: { workspaceId: CREATED_ID },
      createDatagrid: { workspaceId: CREATED_ID },
    },
    createDatagrid: {
      getDatagrid: { datagridId: CREATED_ID },
      createRow: { datagridId: CREATED_ID },
      listRows: { datagridId: CREATED_ID },
    },
    addColumn: { getColumn: { ...inPath('datagridId'), key: '$response.body#/data/key' } },
    createRow: {
      getRow: { ...inPath('datagridId'), rowId: CREATED_ID },
      updateRow: { ...inPath('datagridId'), rowId: CREATED_ID },
      deleteRow: { ...inPath('datagridId'), rowId: CREATED_ID },
    },
    importRows: { getImport: { ...inPath('datagridId'), importId: CREATED_ID } },
    createView: { getView: { ...inPath('datagridId'), viewId: CREATED_ID } },
    createWebhook: { getWebhook: { ...inPath('workspaceId'), webhookId: CREATED_ID } },
    createConnection: { getConnection: { ...inPath('workspaceId'), connectionId: CREATED_ID } },
    createScheduledImport: {
      getScheduledImport: {
        ...inPath('workspaceId', 'connectionId'),
        scheduledImportId: CREATED_ID,
      },
    },
    deleteWorkspace: { restoreTrashItem: { itemId: '$request.path.workspaceId' } },
    deleteDatagrid: { restoreTrashItem: { itemId: '$request.path.datagridId' } },
  };

/** Adds links to the operations that can follow a success, which tools use to test sequences. */
export function withLinks({ spec }: Operation): OperationObject {
  const targets = LINKS[spec.operationId ?? ''];
  if (!targets) return spec;
  const links: LinksObject = Object.fromEntries(
    Object.entries(targets).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters: { ...parameters } },
    ]),
  );
  const responses = Object.entries(spec.responses).map(([status, response]) => [
    status,
    Number(status) < 300 ? { ...response, links } : response,
  ]);
  return { ...spec, responses: Object.fromEntries(responses) as ResponsesObject };
}
