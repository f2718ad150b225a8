import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { parsePageRequest, type PageRequest } from '../../common/paging/page-request';
import { acceptAnyParameter, acceptParameters } from './accepted-parameters';

const queryOf = (context: ExecutionContext): AppRequest['query'] =>
  context.switchToHttp().getRequest<AppRequest>().query;

const readPaging = createParamDecorator((_: unknown, context: ExecutionContext): PageRequest => {
  const parsed = parsePageRequest(queryOf(context));
  if (!parsed.ok) throw invalidRequest(parsed.errors);
  return parsed.value;
});

const readFlag = createParamDecorator((name: string, context: ExecutionContext): boolean => {
  const value = queryOf(context)[name];
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw invalidRequest([{ field: name, code: 'invalid_format', message: 'must be true or false' }]);
});

export type Parameter = ApiQueryOptions & { readonly name: string };

/** Reads parameters, makes the route accept them, and describes them in the OpenAPI document. */
function documented(
  read: ParameterDecorator,
  parameters: readonly Parameter[],
): ParameterDecorator {
  return (prototype, method, index) => {
    read(prototype, method, index);
    acceptParameters(
      prototype,
      method,
      parameters.map(({ name }) => name),
    );
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    for (const parameter of parameters) ApiQuery(parameter)(prototype, method ?? '', descriptor);
  };
}

const PAGING_PARAMETERS: readonly Parameter[] = [
  {
    name: 'page',
    required: false,
    description: 'The page to give, from 1. A page past the end is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  {
    name: 'limit',
    required: false,
    description: 'Items on a page.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
  },
];

/** The validated `page` and `limit`. */
export const Paging = (): ParameterDecorator => documented(readPaging(), PAGING_PARAMETERS);

const readAll = createParamDecorator((_: unknown, context: ExecutionContext) => queryOf(context));

/**
 * The whole query string of a route with pages; the service validates it. Declares `page`, `limit`
 * and `parameters`.
 */
export const QueryParameters = (...parameters: Parameter[]): ParameterDecorator =>
  documented(readAll(), [...PAGING_PARAMETERS, ...parameters]);

/** The whole query string of a route without pages; the service validates it. */
export const OwnParameters = (...parameters: Parameter[]): ParameterDecorator =>
  documented(readAll(), parameters);

/** For HTML pages, which have their own parameters: the route neither reads nor rejects any. */
export const AnyQuery = (): MethodDecorator => (_prototype, _method, descriptor) => {
  acceptAnyParameter(descriptor.value as object);
};

/** A flag such as `cascade`: `true`, `false` or absent. */
export const Flag = (name: string, description: string): ParameterDecorator =>
  documented(readFlag(name), [
    { name, required: false, description, schema: { type: 'boolean', default: false } },
  ]);
