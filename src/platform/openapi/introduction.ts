import type {
  ContentObject,
  ExamplesObject,
  OperationObject,
  ReferenceObject,
  ResponsesObject,
  SchemaObject,
} from '@nestjs/swagger';

/** Introduction of the OpenAPI document, in Markdown. */
export const INTRODUCTION = `
With the REST API, you read and write workspaces, datagrids, columns and rows, import and export files,
and restore deleted objects. A workspace contains datagrids. A datagrid is a sheet with typed columns,
and contains rows. Every path with \`rows\` also works with \`records\` in place of it.

Requests and responses are JSON in UTF-8, except for the files of imports and exports. Times are in
[RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) format, in UTC, with milliseconds.

## Authentication
Send your API key in every request: \`Authorization: Bearer mk_…\`
([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)). Create keys in the console (open your profile,
then **API keys**), or have an operator create them on the command line. The API itself does not create
keys. A key is shown once, when it is created. Call the API only from servers and pipelines, and never
put a key into a web page or an app.

A key has the permissions of its owner's current role: a \`viewer\` reads; an \`editor\` also writes
rows; an \`admin\` also writes workspaces, datagrids and columns; an \`owner\` also manages users. A
\`member\` has only roles in single workspaces. A key can be limited to scopes, and to workspaces or
datagrids. \`x-permission\` is the scope that an operation requires.

## Responses
One object is returned as \`{ "data": {…} }\`, a list as \`{ "data": […], "meta": {…} }\`, and an error
as \`{ "error": {…} }\`. A 204 response has no body. Responses can get new properties: ignore
properties that you do not know. Unknown properties and query parameters of requests return 400.

## Values
The \`values\` of a row are keyed by column. A value that its column type does not allow returns 400.
Values are never truncated or rounded. In a response, a column without a value is absent. In a request,
\`null\` clears a value. An absent property means no value when a row is created or replaced, and keeps the
value when a row is updated.

| column type | value |
|---|---|
| \`text\` | a string; stored unchanged |
| \`integer\` | an integer from −(2⁵³ − 1) to 2⁵³ − 1 |
| \`number\` | a number that a 64-bit double represents without losing digits |
| \`decimal\` | a string such as \`"1204.50"\`: up to 38 digits, up to 18 of them after the decimal point; returned as sent |
| \`boolean\` | \`true\` or \`false\` |
| \`date\` | a string such as \`"2026-11-21"\` |
| \`datetime\` | an RFC 3339 time with any offset; returned in UTC with milliseconds; a finer fraction returns 400 |
| \`select\` | one of \`options.choices\` |
| \`multiSelect\` | an array of values of \`options.choices\`, each at most once |
| \`email\` | an email address of up to 320 characters |
| \`url\` | an http or https URL of up to 8,192 characters |
| \`json\` | any JSON value |
| \`link\` | the id of a row of the datagrid \`options.datagridId\` |
| \`multiLink\` | an array of up to 200 ids of rows of the datagrid \`options.datagridId\`, each once |
| \`lookup\` | read-only: the value of the column \`options.column\` in the row that the column \`options.link\` links to, or an array of the values if that is a \`multiLink\` |
| \`count\` | read-only: the number of rows of the datagrid \`options.datagridId\` whose column \`options.column\` links to the row |
| \`autonumber\` | an integer that the service assigns when it creates a row; read-only |
| \`createdBy\` | the ID of the API key or user who created the row; read-only |
| \`updatedBy\` | the ID of the API key or user who last changed the row; read-only |

## Paging
Lists take \`page\` (from 1) and \`limit\` (1 to 200, default 20). Any other value returns 400. A page
after the last one is empty. \`meta.total\` is exact and of the same snapshot as the page. The \`Link\`
header ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)) has the URLs of the first, previous, next
and last page. To read all rows of a datagrid, use a \`cursor\` in place of \`page\`.

## Optimistic concurrency and caching
Every response to \`GET\`, and every response with one workspace, datagrid, column or row, has an \`ETag\`
([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match)). Send it in \`If-None-Match\`
with your next \`GET\`: if nothing has changed, the service returns 304 without a body. Send it in
\`If-Match\` with a change or a deletion: if the object has changed since you read it, the request
returns 412 and nothing changes. The \`ETag\` of a datagrid changes with its name, description and
columns, but not with its rows.

\`Cache-Control: max-stale=5\`
([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.2)) lets the service read datagrids and
rows from a replica that is up to 5 seconds behind. The response then has an \`Age\` header. Without
this header, every response is current.

## Compression
The service compresses large responses to \`GET\` if \`Accept-Encoding\` allows \`gzip\`, \`br\` or, on
some installations, \`zstd\`. The \`ETag\` of a compressed response ends with the name of the encoding,
and is used like any other. The \`ETag\` of a compressed export is weak instead. Responses to \`POST\`
are never compressed.

## Idempotent requests
If the response to a write is lost, you cannot know whether the service made the change. Send an
\`Idempotency-Key\` with every write, such as a new UUID. If you send the same request with the same key
again, the change is made once, and you get the first response with \`Idempotent-Replayed: true\`. The
service stores successful responses and those with 409 and 412 for 24 hours.

## Errors
\`error.code\` is from a closed list: use it to tell errors apart. \`error.message\` is for people, and
its text can change. \`error.details\` lists the invalid fields. Report \`error.requestId\` if you need
help. An object of another account returns 404, as if it never existed.

In addition to the responses of each operation, any request can return \`method_not_allowed\` (405, with
\`Allow\`), \`request_timeout\` (408), \`expectation_failed\` (417) and \`headers_too_large\` (431).

## Rate limits and retries
Each key can send a limited number of requests in a window, over all routes. All keys and users of an
account share a second limit. \`RateLimit\` and \`RateLimit-Policy\`
([draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)) show the limits and the
number of requests left. An account can also use only a share of an instance at a time. Requests without
a valid key are limited by client address. This does not affect valid keys from the same address.

Beyond a limit, the response is 429. Retry 429 and 503 after \`Retry-After\` seconds, then with
exponential backoff. Never retry at once.

## Versioning
The version is part of the path. \`v1\` changes only by addition, also of values in responses. Before something is removed, its
responses announce it with the headers \`Deprecation\`
([RFC 9745](https://www.rfc-editor.org/rfc/rfc9745)) and \`Sunset\`
([RFC 8594](https://www.rfc-editor.org/rfc/rfc8594)).
`.trim();

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

const CSV = 'iata,name,size\nZRH,Zurich,large\n"BRN","Bern, Belp",\n';

/** Example files of rows, for the datagrid of the other examples. */
const FILES: Readonly<Record<string, string>> = {
  'text/csv': CSV,
  'application/octet-stream': CSV,
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
  if (json.examples) {
    // The declared values are schemas.
    const examples = Object.entries(json.examples).map(([name, each]) => [
      name,
      { value: exampleOf((each as { value: Schema }).value, schemas) },
    ]);
    const illustrated = { ...json, examples: Object.fromEntries(examples) as ExamplesObject };
    return { ...content, 'application/json': illustrated };
  }
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
