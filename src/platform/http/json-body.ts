import { Body, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import {
  AppError,
  type DetailCode,
  type FieldError,
  invalidRequest,
} from '../../common/error/app-error';

/**
 * The request body, validated by the class-validator rules of `type`. Unknown properties are
 * rejected at every level.
 */
export const JsonBody = (type: Type<object>): ParameterDecorator =>
  parsedBody(Body(new JsonBodyPipe(type)));

/** Maximum size of short bodies. */
export const SMALL_BODY_BYTES = 16 * 1024;

/** Like `JsonBody`, for bodies of up to 16 kB: for public routes. */
export const SmallJsonBody = (type: Type<object>): ParameterDecorator =>
  parsedBody(Body(new JsonBodyPipe(type)), { maxBytes: SMALL_BODY_BYTES });

/** The request body as parsed JSON. The service validates it. */
export const UnvalidatedBody = (): ParameterDecorator => parsedBody(Body());

/** Like `UnvalidatedBody`, for bodies of up to 16 kB: for public routes. */
export const SmallUnvalidatedBody = (): ParameterDecorator =>
  parsedBody(Body(), { maxBytes: SMALL_BODY_BYTES });

/** Like `UnvalidatedBody`, for messages of the MCP server: a request of a model, not a file. */
export const MessageBody = (): ParameterDecorator => parsedBody(Body(), { maxBytes: 1024 * 1024 });

/** Maximum size of a body of SCIM: a group with all its members. */
export const SCIM_BODY_BYTES = 4 * 1024 * 1024;

/** Like `UnvalidatedBody`, for requests of SCIM, which have a media type of their own. */
export const ScimBody = (): ParameterDecorator =>
  parsedBody(Body(), { maxBytes: SCIM_BODY_BYTES, format: 'scim' });

/** Media types of parsed bodies. SCIM has one of its own for JSON. */
export type BodyFormat = 'json' | 'scim';

/** A body that is parsed before the handler. */
interface ParsedBody {
  /** Maximum size after decompression; the default is `MAX_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** The default is JSON. */
  readonly format?: BodyFormat;
}

/** Handlers that take a body, with `null` for those that read it themselves. */
const bodies = new WeakMap<object, ParsedBody | null>();

/** Returns whether requests of a handler may have a body. */
export const takesBody = (handler: object): boolean => bodies.has(handler);

/** Returns how the body is parsed for a handler; `null` if it takes none or reads it itself. */
export const parsedBodyOf = (handler: object): ParsedBody | null => bodies.get(handler) ?? null;

/** Registers that a handler reads the request body itself. */
export function markReadsBody(handler: unknown): void {
  if (typeof handler === 'function') bodies.set(handler, null);
}

function parsedBody(bind: ParameterDecorator, body: ParsedBody = {}): ParameterDecorator {
  return (prototype, method, index) => {
    bind(prototype, method, index);
    const handler: unknown = Object.getOwnPropertyDescriptor(prototype, method ?? '')?.value;
    if (typeof handler === 'function') bodies.set(handler, body);
  };
}

/** Maximum number of properties of one object. No DTO has as many. */
const MAX_MEMBERS = 100;
/** Maximum number of values in a body. The rules below check that many in about 50 ms. */
const MAX_VALUES = 50_000;

class JsonBodyPipe implements PipeTransform<unknown, object> {
  constructor(private readonly type: Type<object>) {}

  transform(body: unknown): object {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidRequest([
        { field: 'body', code: 'wrong_type', message: 'must be a JSON object' },
      ]);
    }
    rejectMany(body);
    rejectUnseen(body, this.type);
    const value = plainToInstance(this.type, body, { exposeUnsetFields: false });
    const errors = validateSync(value, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
    });
    if (errors.length > 0) throw invalidRequest(fieldErrors(errors));
    return value;
  }
}

/**
 * Rejects bodies that the rules below would take too long to check.
 * @throws AppError `payload_too_large`
 */
function rejectMany(body: object): void {
  let values = 0;
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    // Counts the keys first: listing the values of a large object takes much longer.
    values += Array.isArray(value) ? value.length : Object.keys(value).length;
    if (values > MAX_VALUES) {
      const message = `must not contain more than ${String(MAX_VALUES)} values`;
      throw new AppError('payload_too_large', `body: ${message}`, {
        details: [{ field: 'body', code: 'too_many', message }],
      });
    }
    for (const each of Object.values(value) as unknown[])
      if (typeof each === 'object') waiting.push(each);
  }
}

/**
 * Rejects input that the libraries would let through. class-transformer silently drops properties
 * that every object inherits, such as `toString`. class-validator accepts an array in place of an
 * object that the array may contain.
 * @throws AppError `invalid_request`
 */
function rejectUnseen(body: object, type: Type<object> | null, prefix = ''): void {
  // Runs before class-transformer, whose time grows with the square of the number of properties.
  if (!Array.isArray(body) && Object.keys(body).length > MAX_MEMBERS) {
    const message = `must not have more than ${String(MAX_MEMBERS)} properties`;
    const field = prefix === '' ? 'body' : prefix.slice(0, -1);
    throw invalidRequest([{ field, code: 'out_of_range', message }]);
  }
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const field = `${prefix}${name}`;
    if (name in Object.prototype) throw invalidRequest([unknownMember(field, type)]);
    if (Array.isArray(body) && Array.isArray(value)) {
      throw invalidRequest([{ field, code: 'wrong_type', message: 'must not be an array' }]);
    }
    if (typeof value === 'object' && value !== null) rejectUnseen(value, null, `${field}.`);
  }
}

/** @param type Class of the object that has the property; `null` if unknown. */
function unknownMember(field: string, type: Type<object> | null): FieldError {
  const expected = type ? `; expected one of: ${propertiesOf(type).join(', ')}` : '';
  return { field, code: 'unknown_property', message: `is not a known property${expected}` };
}

/** Returns the properties that have rules, in declaration order. */
function propertiesOf(type: Type<object>): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function fieldErrors(errors: readonly ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = `${prefix}${error.property}`;
    const contexts = (error.contexts ?? {}) as Record<string, { code?: DetailCode } | undefined>;
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]): FieldError =>
      rule === 'whitelistValidation'
        ? unknownMember(field, (error.target?.constructor as Type<object> | undefined) ?? null)
        : { field, code: contexts[rule]?.code ?? 'invalid_format', message },
    );
    return [...own, ...fieldErrors(error.children ?? [], `${field}.`)];
  });
}
