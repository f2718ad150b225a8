import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { changesData, PERMISSION_EXTENSION, type Access } from '../http/access';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** One route of the OpenAPI document. */
export interface Operation {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly spec: OperationObject;
}

/** Whether a route changes data. If so, it accepts an `Idempotency-Key`. */
export function isChange({ spec }: Operation): boolean {
  const extended: OperationObject & { readonly [PERMISSION_EXTENSION]?: Access } = spec;
  return changesData(extended[PERMISSION_EXTENSION] ?? null);
}

export function listOperations(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const spec = item[method];
      return spec ? [{ path, method, spec }] : [];
    }),
  );
}

/** Returns the document with every operation replaced by the result of `change`. */
export function mapOperations(
  document: OpenAPIObject,
  change: (operation: Operation) => OperationObject,
): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const operation of listOperations(document)) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: change(operation) };
  }
  return { ...document, paths };
}
