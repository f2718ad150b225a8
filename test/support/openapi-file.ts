import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  MediaTypeObject,
  OpenAPIObject,
  ReferenceObject,
  ResponseObject,
} from '@nestjs/swagger';
import { Ajv, type ValidateFunction } from 'ajv';
import { listOperations, type Operation } from '../../src/platform/openapi/naming';

/**
 * The committed OpenAPI document. `npm run build` compares it with the code. A document generated
 * here would lack the parts that the compiler plugin adds.
 */
export const DOCUMENT = JSON.parse(
  readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'),
) as OpenAPIObject;

export const OPERATIONS: readonly (Operation & { readonly name: string })[] = listOperations(
  DOCUMENT,
).map((operation) => ({
  ...operation,
  name: `${operation.method.toUpperCase()} ${operation.path}`,
}));

/** The operations, and again those of `rows` by their alias `records`, which the document does not list. */
export const OPERATIONS_AND_ALIASES: typeof OPERATIONS = OPERATIONS.flatMap((operation) =>
  operation.path.split('/').includes('rows') ? [operation, aliasOf(operation)] : [operation],
);

function aliasOf(operation: (typeof OPERATIONS)[number]): (typeof OPERATIONS)[number] {
  const path = operation.path.replace('/rows', '/records');
  return { ...operation, path, name: `${operation.method.toUpperCase()} ${path}` };
}

/** Resolves a `#/components/…` reference. */
export function resolved<T extends object>(value: T | ReferenceObject): T {
  if (!('$ref' in value)) return value;
  const [, ...path] = value.$ref.split('/');
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], DOCUMENT) as T;
}

/** Returns the responses of an operation by status. */
export const responsesOf = ({ spec }: Operation): [number, ResponseObject][] =>
  Object.entries(spec.responses).map(([status, response]) => [
    Number(status),
    resolved<ResponseObject>(response ?? { description: '' }),
  ]);

export const examplesOf = ({ example, examples }: MediaTypeObject): unknown[] =>
  example === undefined
    ? Object.values(examples ?? {}).map((each) => ('value' in each ? each.value : undefined))
    : [example];

const ajv = new Ajv({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>();
/** Ajv compiles each component once, not once for each response that refers to it. */
ajv.addSchema({ $id: 'open', components: DOCUMENT.components });
ajv.addSchema({ $id: 'closed', components: closed(DOCUMENT.components) });

/** Returns a schema's validator. */
export const validatorOf = ({ schema }: MediaTypeObject): ValidateFunction =>
  compiled('open', schema);

/** Returns a validator that rejects properties that the document does not name. */
export const exactValidatorOf = ({ schema }: MediaTypeObject): ValidateFunction =>
  compiled('closed', closed(schema));

function compiled(document: 'open' | 'closed', schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${document}#/`);
  const validator = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
  validators.set(text, validator);
  return validator;
}

function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  return {
    ...('properties' in schema && { additionalProperties: false }),
    ...(Object.fromEntries(members) as object),
  };
}
