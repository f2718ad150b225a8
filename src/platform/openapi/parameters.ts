import type { OperationObject, ParameterObject, ReferenceObject } from '@nestjs/swagger';
import type { Operation } from './operations';

type Text = Pick<ParameterObject, 'description' | 'example'>;

/** What path parameters are; their types stand where they are read. */
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
  key: { description: "The column's `key`.", example: 'size' },
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier answer: where it still holds, the answer is 304.',
  schema: { type: 'string' },
  example: '"4-1"',
};

/** Says what each parameter is, and which headers a route looks at. */
export function withParameters({ method, spec }: Operation): OperationObject {
  const parameters = (spec.parameters ?? []).map(withText);
  return { ...spec, parameters: method === 'get' ? [...parameters, IF_NONE_MATCH] : parameters };
}

function withText(parameter: ParameterObject | ReferenceObject): ParameterObject | ReferenceObject {
  if ('$ref' in parameter || parameter.in !== 'path') return parameter;
  return { ...parameter, ...PATH_TEXTS[parameter.name] };
}
