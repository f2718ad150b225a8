import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
  type ContentObject,
} from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../common/error/app-error';
import {
  CursorMetaDto,
  FeedMetaDto,
  LinkedMetaDto,
  ListMetaDto,
  PageMetaDto,
  PageOrCursorMetaDto,
} from './dto/page-meta.dto';
import { ErrorDto } from './dto/error.dto';

type Schema = NonNullable<Extract<ApiResponseOptions, { schema: unknown }>['schema']>;

const oneSchema = (type: Type, meta?: Type): Schema => ({
  type: 'object',
  required: ['data'],
  properties: {
    data: { $ref: getSchemaPath(type) },
    ...(meta && { meta: { $ref: getSchemaPath(meta) } }),
  },
});

const pageSchema = (type: Type, meta: Type = PageMetaDto): Schema => ({
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: { $ref: getSchemaPath(type) } },
    meta: { $ref: getSchemaPath(meta) },
  },
});

/**
 * Returns JSON content whose examples have the forms of `examples`. `withExamples` replaces each of
 * these schemas with its example.
 */
const jsonContent = (
  schema: Schema,
  examples: Readonly<Record<string, Schema>>,
): ContentObject => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, value]) => [name, { value }]),
    ),
  },
});

/** Declares the `ETag` header, which the OpenAPI document describes once. */
const TAGGED = { ETag: { $ref: '#/components/headers/ETag' } } as const;

/** Declares a response `{ data }` with one object. */
export const ApiOneResponse = (status: 200 | 201, type: Type): MethodDecorator =>
  oneResponse(status, type);

/** Declares a response `{ data }` with one object, and `meta` with the rows that it links to. */
export const ApiOneLinkedResponse = (type: Type): MethodDecorator =>
  oneResponse(200, type, LinkedMetaDto);

const oneResponse = (status: 200 | 201, type: Type, meta?: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiExtraModels(type, ...(meta ? [meta] : [])),
    ApiResponse({
      status,
      description: status === 201 ? 'The created object.' : 'The requested object or result.',
      headers: TAGGED,
      schema: oneSchema(type, meta),
    }),
  );

/** Declares a response `{ data }` with the results of several operations. It has no `ETag`. */
export const ApiResultsResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type),
    ApiResponse({
      status: 200,
      description: 'The results of the operations.',
      schema: oneSchema(type),
    }),
  );

/**
 * Declares a response `{ data }` with one object: 201 if the work is complete, 202 if it continues.
 */
export const ApiOneOrAcceptedResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(201),
    ApiExtraModels(type),
    ...([201, 202] as const).map((status) =>
      ApiResponse({
        status,
        description:
          status === 201
            ? 'The work is complete. The body is its report.'
            : 'The work continues. The body is its report so far, and `Location` is the path of the report.',
        schema: oneSchema(type),
      }),
    ),
  );

/**
 * Declares a response `{ data }` with one object of one of several types.
 * @param type The properties of all types.
 * @param types The types by name, for examples.
 */
export const ApiOneOfResponses = (
  status: 200 | 201,
  type: Type,
  types: Readonly<Record<string, Type>>,
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiExtraModels(type, ...Object.values(types)),
    ApiResponse({
      status,
      description: `A ${Object.keys(types).join(' or a ')}. Properties of the other type are absent.`,
      headers: TAGGED,
      content: jsonContent(
        oneSchema(type),
        Object.fromEntries(Object.entries(types).map(([name, one]) => [name, oneSchema(one)])),
      ),
    }),
  );

/** Declares a response `{ data, meta }` with one page of objects. */
export const ApiPageResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, PageMetaDto),
    ApiResponse({
      status: 200,
      description: 'One page of the list.',
      headers: TAGGED,
      schema: pageSchema(type),
    }),
  );

/** Declares a response `{ data, meta }` with the beginning of a list that has no pages. */
export const ApiListResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, ListMetaDto),
    ApiResponse({
      status: 200,
      description: 'The list, up to `limit`.',
      headers: TAGGED,
      schema: pageSchema(type, ListMetaDto),
    }),
  );

/** Declares a response with the items after a cursor, without a count. */
export const ApiCursorResponse = (type: Type, meta: Type = CursorMetaDto): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, meta),
    ApiResponse({
      status: 200,
      description: 'One page of the list.',
      headers: TAGGED,
      schema: pageSchema(type, meta),
    }),
  );

/**
 * Declares a page response or, for requests with `cursor`, items without a count. Both have one
 * schema, because only the request tells them apart.
 */
export const ApiPageOrCursorResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, PageOrCursorMetaDto, PageMetaDto, CursorMetaDto),
    ApiResponse({
      status: 200,
      description: 'One page of the list. With `cursor`, the list has no total.',
      headers: TAGGED,
      content: jsonContent(pageSchema(type, PageOrCursorMetaDto), {
        page: pageSchema(type),
        cursor: pageSchema(type, CursorMetaDto),
      }),
    }),
  );

/** Declares a page of a feed, which may also be requested as a stream. */
export const ApiFeedResponse = (type: Type, meta: Type = FeedMetaDto): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(type, meta),
    ApiResponse({
      status: 200,
      description: 'One page of the feed, or a stream of pages.',
      headers: TAGGED,
      schema: pageSchema(type, meta),
    }),
  );

/**
 * Returns the schema of a file. By the schema and the content type, generated clients choose how they
 * read a body: `text/…` as a string, and others as bytes.
 */
const fileSchema = (type: string): Schema =>
  type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };

/** Declares a text response of any length, in one of several content types. */
export const ApiFileResponse = (...types: string[]): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiResponse({
      status: 200,
      description:
        'The file. It is complete if it ends with the trailers, or with the line of `endLine`.',
      headers: TAGGED,
      content: Object.fromEntries(types.map((type) => [type, { schema: fileSchema(type) }])),
    }),
  );

/** Declares a response `{ data, meta }` whose data are the rows of a result. It has no `ETag`. */
export const ApiResultResponse = (meta: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiExtraModels(meta),
    ApiResponse({
      status: 200,
      description: 'The rows of the result, or a file with them.',
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: { type: 'array', items: { type: 'object', additionalProperties: true } },
          meta: { $ref: getSchemaPath(meta) },
        },
      },
    }),
  );

/** Declares a 204 response without a body. */
export const ApiNoContent = (): MethodDecorator =>
  applyDecorators(
    HttpCode(204),
    ApiResponse({ status: 204, description: 'Success. There is no body.' }),
  );

/**
 * Declares the errors of a route, in addition to those of every route. `failureResponses` describes
 * them.
 */
export const ApiErrors = (...codes: ErrorCode[]): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ErrorDto),
    ...codes.map((code) => ApiResponse({ status: ERROR_STATUS[code], description: code })),
  );

/** Declares a 201 response: one object, or one page with all objects if the request sent a list. */
export const ApiOneOrManyResponse = (type: Type): MethodDecorator =>
  applyDecorators(
    HttpCode(201),
    ApiExtraModels(type, PageMetaDto),
    ApiResponse({
      status: 201,
      description:
        'The created objects: one object if you sent one, or one page of all objects if you sent a list.',
      headers: TAGGED,
      schema: {
        oneOf: [
          { ...oneSchema(type), title: 'one' },
          { ...pageSchema(type), title: 'many' },
        ],
      },
    }),
  );
