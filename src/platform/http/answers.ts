import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../common/error/error-code';
import { CursorMetaDto } from './dto/cursor-meta.dto';
import { ErrorDto } from './dto/error.dto';
import { PageMetaDto } from './dto/page-meta.dto';

type Schema = NonNullable<Extract<ApiResponseOptions, { schema: unknown }>['schema']>;

const oneSchema = (type: Type): Schema => ({
  type: 'object',
  required: ['data'],
  properties: { data: { $ref: getSchemaPath(type) } },
});

const pageSchema = (type: Type, meta: Type = PageMetaDto): Schema => ({
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: { $ref: getSchemaPath(type) } },
    meta: { $ref: getSchemaPath(meta) },
  },
});

/** Answers `{ data }` with one object. */
export const ApiOneResponse = (status: 200 | 201, type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiExtraModels(type),
    ApiResponse({
      status,
      description: status === 201 ? 'Created.' : 'OK.',
      schema: oneSchema(type),
    }),
  );

/** Answers `{ data }` with one object: 201 where it is complete, 202 where it goes on. */
export const ApiOneOrAcceptedResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(201),
    ApiExtraModels(type),
    ...([201, 202] as const).map((status) =>
      ApiResponse({
        status,
        description: status === 201 ? 'Done.' : 'Received; it goes on, and can be watched.',
        schema: oneSchema(type),
      }),
    ),
  );

/** Answers `{ data }` with one object of one of several kinds, by name. */
export const ApiOneOfResponses = (
  status: 200 | 201,
  types: Readonly<Record<string, Type>>,
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiExtraModels(...Object.values(types)),
    ApiResponse({
      status,
      description: `OK: a ${Object.keys(types).join(' or a ')}.`,
      schema: {
        // Not `oneOf`: members may be added to answers, so an object may fit more than one.
        anyOf: Object.entries(types).map(([title, type]) => ({ ...oneSchema(type), title })),
      },
    }),
  );

/** Answers `{ data, meta }` with a page of objects. */
export const ApiPageResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, PageMetaDto),
    ApiResponse({ status: 200, description: 'OK.', schema: pageSchema(type) }),
  );

/** Answers a page, or, asked with a `cursor`, items without a count. */
export const ApiPageOrCursorResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, PageMetaDto, CursorMetaDto),
    ApiResponse({
      status: 200,
      description: 'OK: a page, or with `cursor` the next items.',
      schema: {
        anyOf: [
          { ...pageSchema(type), title: 'page' },
          { ...pageSchema(type, CursorMetaDto), title: 'cursor' },
        ],
      },
    }),
  );

/** Answers a text of any length, of one of several content types. */
export const ApiFileResponse = (...types: string[]): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiResponse({
      status: 200,
      description: 'OK: a file. It is whole where the trailers have come.',
      content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
    }),
  );

/** Answers 204, without a body. */
export const ApiNoContent = (): MethodDecorator =>
  applyDecorators(
    HttpCode(204),
    ApiResponse({ status: 204, description: 'Done; there is no body.' }),
  );

/** The failures of a route beyond those that every route has; `failureResponses` describes them. */
export const ApiErrors = (...codes: ErrorCode[]): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ErrorDto),
    ...codes.map((code) => ApiResponse({ status: ERROR_STATUS[code], description: code })),
  );

/** Answers 201 with one object, or with all of them as one page where many were sent. */
export const ApiOneOrManyResponse = (type: Type, minimal: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(201),
    ApiExtraModels(type, minimal, PageMetaDto),
    ApiResponse({
      status: 201,
      description: 'Created: an object for an object, one page for a list.',
      // Not `oneOf`: what is minimal is a part of the whole.
      schema: {
        anyOf: [
          { ...oneSchema(type), title: 'one' },
          { ...pageSchema(type), title: 'many' },
          { ...oneSchema(minimal), title: 'one, minimal' },
          { ...pageSchema(minimal), title: 'many, minimal' },
        ],
      },
    }),
  );
