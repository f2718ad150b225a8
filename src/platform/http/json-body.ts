import { Body, UseInterceptors, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { AppError, invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import { BodyInterceptor, SmallBodyInterceptor } from './body.interceptor';
import { enterAfterBody } from './database-place';

/**
 * The request body, checked against the class-validator rules of `type`. Unknown members are
 * refused, wherever they stand.
 */
export const JsonBody = (type: Type<object>): ParameterDecorator =>
  readingBody(Body(new JsonBodyPipe(type)));

/** As `JsonBody`, of up to 16 kB: for routes that anybody may call. */
export const SmallJsonBody = (type: Type<object>): ParameterDecorator =>
  readingBody(Body(new JsonBodyPipe(type)), SmallBodyInterceptor);

/** The request body as JSON, to be checked by the service. */
export const UnvalidatedBody = (): ParameterDecorator => readingBody(Body());

const takingBodies = new WeakSet<object>();

/** Whether a handler has its request's body read. */
export function takesBody(handler: object): boolean {
  return takingBodies.has(handler);
}

/** Has the route's body read, between the guards and the pipes. */
function readingBody(
  bind: ParameterDecorator,
  interceptor: Type<BodyInterceptor> = BodyInterceptor,
): ParameterDecorator {
  return (prototype, method, index) => {
    bind(prototype, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
    UseInterceptors(interceptor)(prototype, method ?? '', descriptor);
    enterAfterBody(descriptor.value as object);
    if (typeof descriptor.value === 'function') takingBodies.add(descriptor.value as object);
  };
}

/** More than any object of a DTO has. */
const MAX_MEMBERS = 100;
/** In all: what the rules below check in some 50 ms. */
const MAX_VALUES = 50_000;

class JsonBodyPipe implements PipeTransform<unknown, object> {
  constructor(private readonly type: Type<object>) {}

  transform(body: unknown): object {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidRequest([
        { field: 'body', code: 'wrong_type', message: 'must be a JSON object' },
      ]);
    }
    refuseMany(body);
    refuseUnseen(body, this.type);
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
 * Rejects bodies that would take the rules below too long.
 * @throws AppError `payload_too_large`
 */
function refuseMany(body: object): void {
  let values = 0;
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    // Keys first: the values of a large object take much longer to list.
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
 * Refuses what would slip through: class-transformer drops members that every object inherits,
 * such as `toString`, in silence, and class-validator takes an array for the object it may hold.
 */
function refuseUnseen(body: object, type: Type<object> | null, prefix = ''): void {
  // Before class-transformer sees them, whose time grows with the square of their number.
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
    if (typeof value === 'object' && value !== null) refuseUnseen(value, null, `${field}.`);
  }
}

/** @param type The class of the object that holds the property; `null` where it is not known. */
function unknownMember(field: string, type: Type<object> | null): FieldError {
  const expected = type ? `; expected one of: ${propertiesOf(type).join(', ')}` : '';
  return { field, code: 'unknown_property', message: `is not a known property${expected}` };
}

/** The properties that have rules, in the order of their declaration. */
function propertiesOf(type: Type<object>): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function fieldErrors(errors: readonly ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = `${prefix}${error.property}`;
    const contexts = (error.contexts ?? {}) as Record<string, { code?: string } | undefined>;
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
      rule === 'whitelistValidation'
        ? unknownMember(field, (error.target?.constructor as Type<object> | undefined) ?? null)
        : { field, code: contexts[rule]?.code ?? 'invalid', message },
    );
    return [...own, ...fieldErrors(error.children ?? [], `${field}.`)];
  });
}
