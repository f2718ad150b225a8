import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { notFound } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';
import { rejectionOfLiteral } from './route-table';

/** What is no id names nothing: 404, as for an id that is not there. */
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
 * Reads a path parameter by `read`, which may throw, and describes it in the API description. Not
 * by Nest's pipes: for one of them every call of the route waits for promises.
 */
export const PathParameter = (
  name: string,
  read: (text: string) => unknown,
  schema: object,
): ParameterDecorator => {
  const readParameter = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<AppRequest>();
    try {
      // The route has the parameter once: Express gives a text.
      return read(request.params[name] as string);
    } catch (error) {
      throw rejectionOfLiteral(request) ?? error;
    }
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
export const TrashItemId = (): ParameterDecorator =>
  PathParameter('itemId', uuidOf('Trash item'), UUID_SCHEMA);
export const ImportId = (): ParameterDecorator =>
  PathParameter('importId', uuidOf('Import'), UUID_SCHEMA);
export const RowId = (): ParameterDecorator =>
  PathParameter('rowId', readRowId, { type: 'integer', format: 'int64', minimum: 1 });

/** The `:name` of a file. */
export const FileName = (): ParameterDecorator => PathParameter('name', (text) => text, {});
