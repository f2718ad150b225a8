import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';
import { requestOf } from '../load/exchange';

/**
 * Returns a parser of UUIDs. A malformed id returns 404, the same as an id that does not exist.
 * @throws AppError `not_found`
 */
const uuidOf =
  (kind: string) =>
  (text: string): string => {
    if (!isUuid(text)) throw notFound(kind);
    return text.toLowerCase();
  };

function readRowId(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound('Row');
  return id;
}

/**
 * Readers of the ids in paths that the service builds from the arguments of a caller. Without them, a
 * word in place of an id, such as `export`, would name another route.
 */
export const PATH_ID_READERS: Readonly<Record<string, (text: string) => string | number>> = {
  workspaceId: uuidOf('Workspace'),
  datagridId: uuidOf('Datagrid'),
  rowId: readRowId,
};

/**
 * Reads a path parameter with `read`, which may throw, and describes it in the OpenAPI document. It
 * does not use Nest's pipes: a single pipe makes every call of the route wait for promises.
 */
export const PathParameter = (
  name: string,
  read: (text: string) => unknown,
  schema: object,
): ParameterDecorator => {
  const readParameter = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const request = requestOf(context);
    // Express returns a string, because the route has the parameter once.
    return read(request.params[name] as string);
  });
  return (prototype, method, index) => {
    readParameter()(prototype, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    ApiParam({ name, schema })(prototype, method ?? '', descriptor);
  };
};

const UUID_SCHEMA = { type: 'string', format: 'uuid' };

export const WorkspaceId = (): ParameterDecorator =>
  PathParameter('workspaceId', uuidOf('Workspace'), UUID_SCHEMA);
export const DatagridId = (): ParameterDecorator =>
  PathParameter('datagridId', uuidOf('Datagrid'), UUID_SCHEMA);
export const ViewId = (): ParameterDecorator =>
  PathParameter('viewId', uuidOf('View'), UUID_SCHEMA);
export const SqlQueryId = (): ParameterDecorator =>
  PathParameter('queryId', uuidOf('Saved query'), UUID_SCHEMA);
export const WebhookId = (): ParameterDecorator =>
  PathParameter('webhookId', uuidOf('Webhook'), UUID_SCHEMA);
export const ConnectionId = (): ParameterDecorator =>
  PathParameter('connectionId', uuidOf('Connection'), UUID_SCHEMA);
export const TrashItemId = (): ParameterDecorator =>
  PathParameter('itemId', uuidOf('Trash item'), UUID_SCHEMA);
export const ImportId = (): ParameterDecorator =>
  PathParameter('importId', uuidOf('Import'), UUID_SCHEMA);
export const ScheduledImportId = (): ParameterDecorator =>
  PathParameter('scheduledImportId', uuidOf('Scheduled import'), UUID_SCHEMA);
export const RowId = (): ParameterDecorator =>
  PathParameter('rowId', readRowId, { type: 'integer', format: 'int64', minimum: 1 });

/** The `:token` of a public link. */
export const LinkToken = (): ParameterDecorator => PathParameter('token', (text) => text, {});

/** The `:folder` path parameter of a file. */
export const FolderName = (): ParameterDecorator => PathParameter('folder', (text) => text, {});

/** The `:name` path parameter of a file. */
export const FileName = (): ParameterDecorator => PathParameter('name', (text) => text, {});
