import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { MAX_PAGE, type PageRequest, parsePageRequest } from '../../common/paging/page-request';
import { requestOf } from '../load/exchange';

const queryOf = (context: ExecutionContext): AppRequest['query'] => requestOf(context).query;

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

const PAGE: Parameter = {
  name: 'page',
  required: false,
  description: 'Number of the page, starting at 1. A page after the last one is empty.',
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_PAGE, default: 1 },
};

/** `page` of a list with `cursor`. It has no default, which generated clients would send beside `cursor`. */
const PAGE_OR_CURSOR: Parameter = {
  ...PAGE,
  description:
    'Number of the page, starting at 1. A page after the last one is empty. Cannot be combined with `cursor`. Without `page` and `cursor`, the first page is returned.',
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_PAGE },
};

const LIMIT: Parameter = {
  name: 'limit',
  required: false,
  description: 'Number of items on a page.',
  schema: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
};

/** The validated `page` and `limit`. */
export const Paging = (): ParameterDecorator => documented(readPaging(), [PAGE, LIMIT]);

const readAll = createParamDecorator((_: unknown, context: ExecutionContext) => queryOf(context));

/**
 * The whole query string of a route with pages; the service validates it. Declares `page`, `limit`
 * and `parameters`.
 */
export const QueryParameters = (...parameters: Parameter[]): ParameterDecorator => {
  const hasCursor = parameters.some(({ name }) => name === 'cursor');
  return documented(readAll(), [hasCursor ? PAGE_OR_CURSOR : PAGE, LIMIT, ...parameters]);
};

/** The whole query string of a route without pages; the service validates it. */
export const OwnParameters = (...parameters: Parameter[]): ParameterDecorator =>
  documented(readAll(), parameters);

/** Accepts any query parameters. For HTML pages, whose parameters only their scripts read. */
export const AnyQuery = (): MethodDecorator => (_prototype, _method, descriptor) => {
  acceptAnyParameter(descriptor.value as object);
};

/** A flag such as `cascade`: `true`, `false` or absent. */
export const Flag = (name: string, description: string): ParameterDecorator =>
  documented(readFlag(name), [
    { name, required: false, description, schema: { type: 'boolean', default: false } },
  ]);

const accepted = new WeakMap<object, readonly string[]>();
const takingAny = new WeakSet<object>();

/** Registers query parameters that a handler accepts. */
function acceptParameters(
  prototype: object,
  method: string | symbol | undefined,
  names: readonly string[],
): void {
  const handler = handlerOf(prototype, method);
  accepted.set(handler, [...acceptedParameters(handler), ...names]);
}

/** Returns the query parameters that a handler accepts. */
export function acceptedParameters(handler: object): readonly string[] {
  return accepted.get(handler) ?? [];
}

/** Registers that a handler accepts any query parameter. */
function acceptAnyParameter(handler: object): void {
  takingAny.add(handler);
}

export function acceptsAnyParameter(handler: object): boolean {
  return takingAny.has(handler);
}

function handlerOf(prototype: object, method: string | symbol | undefined): object {
  return (prototype as Record<string | symbol, object>)[method ?? ''] ?? {};
}

/** Whether percent escapes of a text are those of UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns how often a header was sent. For headers that may occur only once, Node silently keeps
 * the first.
 * @param lowerName Header name in lower case.
 */
export function timesSent({ rawHeaders }: IncomingMessage, lowerName: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) count += 1;
  }
  return count;
}
