import type { OpenAPIObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { listOperations } from './operations';

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/**
 * Marks request bodies and their nested schemas as closed, because the service rejects unknown
 * properties. Responses stay open, because v1 may add properties to them.
 */
export function withClosedBodies(document: OpenAPIObject): OpenAPIObject {
  const schemas = { ...document.components?.schemas };
  const bodies = listOperations(document).map(({ spec }) => spec.requestBody ?? {});
  for (const name of reachableFrom(bodies, schemas)) {
    const schema = schemas[name];
    if (schema && !('$ref' in schema)) schemas[name] = { ...schema, additionalProperties: false };
  }
  return { ...document, components: { ...document.components, schemas } };
}

function reachableFrom(
  value: unknown,
  schemas: Readonly<Record<string, SchemaObject | ReferenceObject>>,
  seen = new Set<string>(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
    if (seen.has(name)) continue;
    seen.add(name);
    reachableFrom(schemas[name] ?? {}, schemas, seen);
  }
  return seen;
}
