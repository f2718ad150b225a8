import type { INestApplication } from '@nestjs/common';
import {
  type OpenAPIObject,
  type OperationObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type ResponsesObject,
  type SchemaObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { ERROR_STATUS } from '../../common/error/app-error';
import { ErrorDto } from '../http/dto/error.dto';
import {
  failureRef,
  failureResponses,
  type HeaderName,
  HEADERS,
  headersOf,
  ON_EVERY_CHANGE,
  ON_EVERY_ROUTE,
  WHERE_A_BODY_IS_SENT,
} from './failures';
import { INTRODUCTION, withExamples } from './introduction';
import { withLinks } from './links';
import {
  API_TAGS,
  takesIdempotencyKey,
  listOperations,
  mapOperations,
  named,
  type Operation,
  rawOperationId,
  schemaName,
  withPlainTexts,
  withFinalSchemas,
  withRole,
} from './naming';

const FRAME = {
  openapi: '3.0.3',
  info: { title: 'Datagrid platform: public API', version: '1', description: INTRODUCTION },
  servers: [{ url: '/' }],
  tags: [...API_TAGS],
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'mk_…',
        description: 'API key. Use it only on servers, never in a web page or an app.',
      },
    },
  },
} satisfies Omit<OpenAPIObject, 'paths'>;

/**
 * Creates the OpenAPI document of the public API. Decorators describe what is specific to a route.
 * What applies to every route is added here, so that no route can omit it. The document is complete
 * only in the output of `nest build`, whose plugin turns types and comments into descriptions.
 */
export function createDocument(app: INestApplication): OpenAPIObject {
  const scanned = SwaggerModule.createDocument(app, FRAME, {
    operationIdFactory: rawOperationId,
    extraModels: [ErrorDto],
  });
  const closed = withClosedBodies({ ...scanned, paths: withoutAliases(scanned.paths) });
  const schemas = closed.components?.schemas ?? {};
  const steps: ((operation: Operation) => OperationObject)[] = [
    named,
    withRole,
    withParameters,
    withResponses,
    withLinks,
    ({ spec }) => withExamples(spec, schemas),
  ];
  const document = mapOperations(closed, (operation) =>
    steps.reduce((spec, step) => step({ ...operation, spec }), operation.spec),
  );
  return {
    ...FRAME,
    paths: withFinalSchemas(withPlainTexts(sortedByName(document.paths))),
    components: {
      ...FRAME.components,
      schemas: withFinalSchemas(withPlainTexts(sortedByName(withPublishedNames(schemas)))),
      responses: withPlainTexts(failureResponses()),
      headers: HEADERS,
    },
  };
}

/**
 * Returns the paths without those with `records`, which repeat the paths with `rows`. The introduction and
 * the tag Rows name the alias.
 */
const withoutAliases = (paths: OpenAPIObject['paths']): OpenAPIObject['paths'] =>
  Object.fromEntries(
    Object.entries(paths).filter(([path]) => !path.split('/').includes('records')),
  );

/**
 * Sorts a record by key, so that the document does not depend on the order of modules and imports.
 */
function sortedByName<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const withPublishedNames = <T>(schemas: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [schemaName(name), schema]));

type AnyParameter = ParameterObject | ReferenceObject;
type Text = Pick<ParameterObject, 'description' | 'example' | 'examples'>;

/** Texts of path parameters. Their types are declared where they are read. */
const PATH_TEXTS: Readonly<Record<string, Text>> = {
  workspaceId: {
    description: 'ID of the workspace.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11',
  },
  datagridId: {
    description: 'ID of the datagrid.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12',
  },
  viewId: {
    description: 'ID of the view.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15',
  },
  queryId: {
    description: 'ID of the saved query.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15',
  },
  webhookId: {
    description: 'ID of the webhook.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b14',
  },
  connectionId: {
    description: 'ID of the connection.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b16',
  },
  scheduledImportId: {
    description: 'ID of the scheduled import.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b19',
  },
  itemId: {
    description: 'ID of the deleted workspace or datagrid.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12',
  },
  rowId: { description: 'ID of the row.', example: 1 },
  importId: {
    description: 'ID of the import.',
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13',
  },
  key: { description: 'Key of the column.', example: 'size' },
};

/**
 * Examples of the other parameters, unless they declare their own. Their descriptions are declared
 * where they are read.
 */
const EXAMPLES: Readonly<Record<string, Text>> = {
  page: { example: 1 },
  limit: { example: 20 },
  filter: { example: '{"country":"USA","latitude":{"$gte":40,"$lt":50}}' },
  sort: { example: '-latitude,name' },
  fields: { example: 'iata,name,latitude' },
  expand: { example: 'hub' },
  q: { example: 'international' },
  view: { example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15' },
  cursor: {
    examples: { first: { value: '' }, next: { value: 'Mjo6MjA' } },
  },
  wait: { example: 0 },
  cascade: { example: false },
  omitColumns: { example: false },
  format: { example: 'ndjson' },
  shape: { example: 'row' },
  mode: { example: 'upsert' },
  matchOn: { example: 'iata' },
  linkKeys: { example: 'hub.iata' },
  onError: { example: 'skip' },
  createColumns: { example: true },
  ignoreReadOnly: { example: true },
  startLine: { example: 1 },
  delimiter: { example: 'comma' },
  encoding: { example: 'utf-8' },
  datagridId: { example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12' },
  escapeFormulas: { example: false },
  bom: { example: false },
  endLine: { example: false },
  'If-Match': { example: '"4-1"' },
  Prefer: {
    examples: {
      minimal: { value: 'return=minimal' },
      representation: { value: 'return=representation' },
    },
  },
  'Cache-Control': { example: 'max-stale=5' },
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    '`ETag` of an earlier response. If nothing has changed since, the service returns 304 without a body.',
  schema: { type: 'string' },
  example: '"4-1"',
};

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key of this change, such as a UUID: 1 to 255 printable ASCII characters. For 24 hours, the same request with the same key returns the first response, and the change is made once.',
  // White space around a header is not part of it.
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};

/** Adds the texts of parameters, and the headers that a route reads. */
function withParameters(operation: Operation): OperationObject {
  const { method, path, spec } = operation;
  const parameters = inOrder(path, spec.parameters ?? []).map(withText);
  if (method === 'get') parameters.push(IF_NONE_MATCH);
  if (takesIdempotencyKey(operation)) parameters.push(IDEMPOTENCY_KEY);
  return { ...spec, parameters };
}

/**
 * Sorts path parameters first, in the order of the path: parameter decorators run from last to
 * first.
 */
function inOrder(path: string, parameters: readonly AnyParameter[]): AnyParameter[] {
  const position = (parameter: AnyParameter): number =>
    'in' in parameter && parameter.in === 'path'
      ? path.indexOf(`{${parameter.name}}`)
      : path.length;
  return [...parameters].sort((a, b) => position(a) - position(b));
}

function withText(parameter: AnyParameter): AnyParameter {
  if ('$ref' in parameter) return parameter;
  if ('example' in parameter || 'examples' in parameter) return parameter;
  const texts = parameter.in === 'path' ? PATH_TEXTS : EXAMPLES;
  return { ...parameter, ...texts[parameter.name] };
}

/** Adds the headers of each response, and the error responses that all routes share. */
function withResponses(operation: Operation): OperationObject {
  const { method, spec } = operation;
  const responses: ResponsesObject = {};
  for (const [status, response] of Object.entries(spec.responses)) {
    if (Number(status) >= 400) responses[status] = failureRef(Number(status));
    else if (isGuess(response)) continue;
    else if (hasBody(response))
      responses[status] = successful(response, ownHeaders(operation, response));
    // Other responses without a body are guesses of the plugin.
    else if (status === '204') responses[status] = DONE;
  }
  if (method === 'get') responses['304'] = notModified(operation);
  const codes = [
    ...ON_EVERY_ROUTE,
    ...(takesIdempotencyKey(operation) ? ON_EVERY_CHANGE : []),
    ...(spec.requestBody ? WHERE_A_BODY_IS_SENT : []),
  ];
  for (const code of codes) responses[ERROR_STATUS[code]] = failureRef(ERROR_STATUS[code]);
  return { ...spec, responses };
}

type Response = ResponsesObject[string];

const DONE: ResponseObject = {
  description: 'Success. There is no body.',
  headers: headersOf('Cache-Control', 'Idempotent-Replayed'),
};

function hasBody(response: Response): response is ResponseObject {
  // A response without a description was guessed by the plugin, not declared by a decorator.
  return response !== undefined && 'content' in response && response.description !== '';
}

/**
 * Returns whether the plugin guessed the response. It assumes that every POST creates something,
 * and describes an unknown type as an object.
 */
function isGuess(response: Response): boolean {
  const schema = hasBody(response) ? response.content?.['application/json']?.schema : undefined;
  return JSON.stringify(schema) === '{"type":"object"}';
}

/** Response headers that routes set if they read a request header, by its name. */
const HEADERS_BY_PARAMETER: Readonly<Record<string, HeaderName>> = {
  'Cache-Control': 'Age',
  Prefer: 'Preference-Applied',
};

/** Returns the headers of a success that depend on the headers that the route reads. */
const requestedHeaders = ({ spec }: Operation): HeaderName[] =>
  (spec.parameters ?? []).flatMap((parameter) => {
    const isHeader = 'in' in parameter && parameter.in === 'header';
    const name = isHeader ? HEADERS_BY_PARAMETER[parameter.name] : undefined;
    return name === undefined ? [] : [name];
  });

/** Returns the headers of a success in addition to those that its decorator declares. */
function ownHeaders(operation: Operation, { content }: ResponseObject): HeaderName[] {
  const names = requestedHeaders(operation);
  if ('202' in operation.spec.responses) names.push('Location');
  if (takesIdempotencyKey(operation)) names.push('Idempotent-Replayed');
  if (content && !('application/json' in content)) names.push('Export-Status', 'Export-Rows');
  const isPage = JSON.stringify(content).includes('PageMetaDto');
  if (operation.method === 'get' && isPage) names.push('Link');
  return names;
}

function successful(
  { headers: declared, ...response }: ResponseObject,
  own: readonly HeaderName[],
): ResponseObject {
  const headers = { ...headersOf('Cache-Control'), ...declared, ...headersOf(...own) };
  return { ...response, headers };
}

function notModified(operation: Operation): ResponseObject {
  return {
    description: 'Nothing has changed since the response with this `ETag`. There is no body.',
    headers: headersOf('Cache-Control', 'ETag', ...requestedHeaders(operation)),
  };
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/**
 * Marks request bodies and their nested schemas as closed, because the service rejects unknown
 * properties. Responses stay open, because v1 may add properties to them.
 */
function withClosedBodies(document: OpenAPIObject): OpenAPIObject {
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
