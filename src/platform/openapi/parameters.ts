import type { OperationObject, ParameterObject, ReferenceObject } from '@nestjs/swagger';
import { isChange, type Operation } from './operations';

type AnyParameter = ParameterObject | ReferenceObject;
type Text = Pick<ParameterObject, 'description' | 'example' | 'examples'>;

/** Texts of path parameters. Their types are declared where they are read. */
const PATH_TEXTS: Readonly<Record<string, Text>> = {
  workspaceId: {
    description: "The workspace's `id`.",
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11',
  },
  datagridId: {
    description: "The datagrid's `id`.",
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12',
  },
  itemId: {
    description: 'The `id` of the workspace or datagrid that was deleted.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12',
  },
  rowId: { description: "The row's `id`.", example: 1 },
  importId: {
    description: "The import's `id`.",
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13',
  },
  key: { description: "The column's `key`.", example: 'size' },
};

/** Examples of all other parameters. Their descriptions are declared where they are read. */
const EXAMPLES: Readonly<Record<string, Text>> = {
  page: { example: 1 },
  limit: { example: 20 },
  filter: { example: '{"country":"USA","latitude":{"$gte":40,"$lt":50}}' },
  sort: { example: '-latitude,name' },
  fields: { example: 'iata,name,latitude' },
  q: { example: 'international' },
  cursor: {
    examples: { first: { value: '' }, next: { value: 'Mjo6MjA' } },
  },
  cascade: { example: false },
  omitColumns: { example: false },
  format: { example: 'ndjson' },
  shape: { example: 'row' },
  mode: { example: 'upsert' },
  matchOn: { example: 'iata' },
  onError: { example: 'skip' },
  createColumns: { example: true },
  delimiter: { example: 'comma' },
  encoding: { example: 'utf-8' },
  escapeFormulas: { example: false },
  bom: { example: false },
  'If-Match': { example: '"4-1"' },
  Prefer: { example: 'return=representation' },
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier answer: where it still holds, the answer is 304.',
  schema: { type: 'string' },
  example: '"4-1"',
};

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this change, so that it can be sent again without being made twice: for 24 hours the same request with the same key gets the first answer. Printable ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};

/** Adds the texts of parameters, and the headers that a route reads. */
export function withParameters(operation: Operation): OperationObject {
  const { method, path, spec } = operation;
  const parameters = inOrder(path, spec.parameters ?? []).map(withText);
  if (method === 'get') parameters.push(IF_NONE_MATCH);
  if (isChange(operation)) parameters.push(IDEMPOTENCY_KEY);
  return { ...spec, parameters };
}

/**
 * Sorts path parameters first, in the order of the path: parameter decorators run from last to
 * first.
 */
function inOrder(path: string, parameters: readonly AnyParameter[]): AnyParameter[] {
  const place = (parameter: AnyParameter): number =>
    'in' in parameter && parameter.in === 'path'
      ? path.indexOf(`{${parameter.name}}`)
      : path.length;
  return [...parameters].sort((a, b) => place(a) - place(b));
}

function withText(parameter: AnyParameter): AnyParameter {
  if ('$ref' in parameter) return parameter;
  const texts = parameter.in === 'path' ? PATH_TEXTS : EXAMPLES;
  return { ...parameter, ...texts[parameter.name] };
}
