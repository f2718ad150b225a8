import type {
  ContentObject,
  ExamplesObject,
  OperationObject,
  ReferenceObject,
  ResponsesObject,
  SchemaObject,
} from '@nestjs/swagger';

type Schema = SchemaObject | ReferenceObject;
type Schemas = Readonly<Record<string, Schema>>;

/** Names of the alternatives if a schema accepts one object or a list. */
const ALTERNATIVES = ['one', 'many'];

/** Adds examples of an operation's JSON, built from the examples of its properties. */
export function withExamples(spec: OperationObject, schemas: Schemas): OperationObject {
  const illustrated = <T extends object>(part: T): T =>
    'content' in part
      ? { ...part, content: withExample(part.content as ContentObject, schemas) }
      : part;
  const responses = Object.entries(spec.responses).map(([status, response]) => [
    status,
    illustrated(response ?? {}),
  ]);
  return {
    ...spec,
    ...(spec.requestBody && { requestBody: illustrated(spec.requestBody) }),
    responses: Object.fromEntries(responses) as ResponsesObject,
  };
}

/** Example files of rows, for the datagrid of the other examples. */
const FILES: Readonly<Record<string, string>> = {
  'text/csv': 'iata,name,size\nZRH,Zurich,large\n"BRN","Bern, Belp",\n',
  'application/x-ndjson': '{"iata":"ZRH","size":"large"}\n{"iata":"BRN","name":"Bern, Belp"}\n',
};

function withExample(content: ContentObject, schemas: Schemas): ContentObject {
  const files = Object.entries(content).filter(([type]) => FILES[type] !== undefined);
  if (files.length > 0) {
    return Object.fromEntries(
      files.map(([type, file]) => [type, { ...file, example: FILES[type] }]),
    );
  }
  const json = content['application/json'];
  if (!json?.schema) return content;
  return { ...content, 'application/json': { ...json, ...examplesOf(json.schema, schemas) } };
}

function examplesOf(
  schema: Schema,
  schemas: Schemas,
): { example: unknown } | { examples: ExamplesObject } {
  const alternatives = '$ref' in schema ? undefined : (schema.oneOf ?? schema.anyOf);
  if (!alternatives) return { example: exampleOf(schema, schemas) };
  const entries = alternatives.map((alternative, index) => [
    titleOf(alternative) ?? ALTERNATIVES[index] ?? String(index),
    { value: exampleOf(alternative, schemas) },
  ]);
  return { examples: Object.fromEntries(entries) as ExamplesObject };
}

function titleOf(schema: Schema): string | undefined {
  return 'title' in schema ? schema.title : undefined;
}

function exampleOf(schema: Schema, schemas: Schemas): unknown {
  if ('$ref' in schema) {
    return exampleOf(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}, schemas);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.allOf?.[0]) return exampleOf(schema.allOf[0], schemas);
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [exampleOf(schema.items, schemas)];
  if (schema.type === 'boolean') return false;
  if (!schema.properties) return schema.type === 'object' ? {} : undefined;
  const members = Object.entries(schema.properties);
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, schemas)]));
}
