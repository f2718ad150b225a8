import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { notFound } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';
import { rejectionOfLiteral } from './route-table';

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
 * Reads a path parameter with `read`, which may throw, and describes it in the OpenAPI document. It
 * does not use Nest's pipes: a single pipe makes every call of the route wait for promises.
 */
export const PathParameter = (
  name: string,
  read: (text: string) => unknown,
  schema: object,
): ParameterDecorator => {
  const readParameter = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<AppRequest>();
    try {
      // Express returns a string, because the route has the parameter once.
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

/** The `:name` path parameter of a file. */
export const FileName = (): ParameterDecorator => PathParameter('name', (text) => text, {});
