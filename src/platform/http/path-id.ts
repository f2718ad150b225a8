import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';

/** What is no id names nothing: 404, as for an id that is not there. */
const uuidPipe: PipeTransform<string, string> = {
  transform(text) {
    if (!isUuid(text)) throw notFound();
    return text.toLowerCase();
  },
};

const rowIdPipe: PipeTransform<string, number> = {
  transform(text) {
    const id = Number(text);
    if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound();
    return id;
  },
};

/** Reads a path parameter through `pipe` and describes it in the API description. */
export const PathParameter =
  (name: string, pipe: PipeTransform, schema: object): ParameterDecorator =>
  (prototype, method, index) => {
    Param(name, pipe)(prototype, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    ApiParam({ name, schema })(prototype, method ?? '', descriptor);
  };

const UUID_SCHEMA = { type: 'string', format: 'uuid' };

export const WorkspaceId = (): ParameterDecorator =>
  PathParameter('workspaceId', uuidPipe, UUID_SCHEMA);
export const DatagridId = (): ParameterDecorator =>
  PathParameter('datagridId', uuidPipe, UUID_SCHEMA);
export const TrashItemId = (): ParameterDecorator => PathParameter('itemId', uuidPipe, UUID_SCHEMA);
export const ImportId = (): ParameterDecorator => PathParameter('importId', uuidPipe, UUID_SCHEMA);
export const RowId = (): ParameterDecorator =>
  PathParameter('rowId', rowIdPipe, { type: 'integer', format: 'int64', minimum: 1 });
