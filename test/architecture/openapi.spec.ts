import type { LinkObject, ParameterObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { ERROR_STATUS } from '../../src/common/error/app-error';
import { EXPORT_TRAILERS } from '../../src/exports/export-request';
import { PUBLIC_API } from '../../src/platform/http/access';
import type { Route } from '../../src/platform/http/route-table';
import { allowsStale } from '../../src/platform/http/allow-stale';
import { findDelimiter } from '../../src/rows/values/delimiter';
import {
  DOCUMENT,
  OPERATIONS,
  OPERATIONS_AND_ALIASES,
  responsesOf,
  examplesOf,
  resolved,
  validatorOf,
} from '../support/openapi-file';
import { allRoutes, named } from './unconnected-app';

const JSON_TYPE = 'application/json';

/** Verbs that summaries begin with. */
const IMPERATIVE =
  /^(?:Add|Aggregate|Cancel|Check|Create|Delete|Export|Get|Import|List|Preview|Purge|Query|Repair|Replace|Replay|Reset|Restore|Rotate|Run|Send|Test|Undo|Update|Upsert) [^.]+$/;

/** One or more sentences on one line. */
const SENTENCES = /^[A-Z`].*\.$/;

/** Marks of comments that are not prose: block and inline tags, ends of comments, escapes. */
const RAW_ANNOTATION = /(?:^|\s)@[a-z]+|\{@|\*\/|\\/m;

/** Words that the documentation replaces with those of the field. */
const REPLACED_WORDS =
  /\b(?:answer|refus|question|walk|tally|ledger|tenant|upkeep|what\b|given\b|gives\b|gone\b|goes on|moved? on|for ever|for now|at the moment|stands?\b)/i;

/** A text of the document for people, with its path in the document. */
type Text = readonly [path: string, text: string];

/** Returns every summary and description in a part of the document, except in examples. */
function textsIn(part: unknown, path: string): Text[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]: [string, unknown]): Text[] => {
    const place = `${path}/${name}`;
    if (name === 'example' || name === 'examples') return [];
    const isText = name === 'summary' || name === 'description';
    return isText && typeof value === 'string' ? [[place, value]] : textsIn(value, place);
  });
}

/** Returns the name of a route as in the document, such as `GET /workspaces/{workspaceId}`. */
const documentName = (route: Route): string => named(route).replaceAll(/:(\w+)/g, '{$1}');

it('The document describes every route of the public API once, without the alias records of rows, and no other', async () => {
  const routes = (await allRoutes())
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith(`/${PUBLIC_API}/`))
    .map(documentName)
    .filter((name) => name !== `GET /${PUBLIC_API}/openapi.json`);
  expect(Object.keys(DOCUMENT.paths).filter((path) => path.includes('records'))).toEqual([]);
  expect(OPERATIONS_AND_ALIASES.map(({ name }) => name).sort()).toEqual(routes.sort());
});

it('The document has unique operation ids', () => {
  const ids = OPERATIONS.map(({ spec }) => spec.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('The document uses the declared tags', () => {
  const used = OPERATIONS.flatMap(({ spec }) => spec.tags ?? []);
  expect([...new Set(used)].sort()).toEqual((DOCUMENT.tags ?? []).map(({ name }) => name).sort());
});

it('The document declares Age in every success of the routes that a replica may serve, and in no other', async () => {
  const routes = (await allRoutes()).filter(({ handler }) => allowsStale(handler));
  const stale = routes.map(documentName);
  expect(stale).toContain(`GET /${PUBLIC_API}/datagrids/{datagridId}/rows`);
  for (const operation of OPERATIONS) {
    const successes = responsesOf(operation).filter(([status]) => status < 400);
    const declares = successes.map(([, { headers = {} }]) => 'Age' in headers);
    const expected = successes.map(() => stale.includes(operation.name));
    expect({ name: operation.name, declares }).toEqual({
      name: operation.name,
      declares: expected,
    });
  }
});

it('The document declares Preference-Applied in the successes of the operations that read Prefer, and in no other', () => {
  for (const operation of OPERATIONS) {
    const parameters = (operation.spec.parameters ?? []).map((parameter) => resolved(parameter));
    const readsPrefer = parameters.some(({ name }) => name === 'Prefer');
    const declares = responsesOf(operation).flatMap(([status, { headers = {} }]) =>
      'Preference-Applied' in headers ? [status] : [],
    );
    const successes = responsesOf(operation).flatMap(([status]) => (status < 300 ? [status] : []));
    expect({ name: operation.name, declares }).toEqual({
      name: operation.name,
      declares: readsPrefer ? successes : [],
    });
  }
});

it('The document does not require trailers as headers', () => {
  for (const name of EXPORT_TRAILERS) {
    const header = DOCUMENT.components?.headers?.[name] ?? {};
    expect(header).toMatchObject({ description: expect.stringMatching(/^Trailer/) });
    expect(header).not.toHaveProperty('required');
  }
});

it('The document lists the names that the parameter delimiter accepts, which also accepts characters', () => {
  const delimiters = OPERATIONS.flatMap(({ spec }) => spec.parameters ?? [])
    .map((parameter) => resolved<ParameterObject>(parameter))
    .filter(({ name }) => name === 'delimiter');
  expect(delimiters).toHaveLength(2);
  const names = ['comma', 'semicolon', 'tab', 'pipe'];
  for (const { schema } of delimiters) expect(schema).toMatchObject({ enum: names });
  const characters = [',', ';', '\t', '|'];
  expect([...names, ...characters].map(findDelimiter)).toEqual([...names, ...names]);
});

it('The document declares Idempotency-Key for changes, but not for checks that change nothing', () => {
  const keyed = (id: string): boolean | undefined =>
    OPERATIONS.find(({ spec }) => spec.operationId === id)?.spec.parameters?.some(
      (parameter) => resolved<ParameterObject>(parameter).name === 'Idempotency-Key',
    );
  const checks = ['previewColumn', 'testSettingsOfConnection', 'testConnection', 'testWebhook'];
  expect(checks.map(keyed)).toEqual([false, false, false, false]);
  expect(['createRow', 'importRows', 'updateColumn'].map(keyed)).toEqual([true, true, true]);
});

it('The document gives every integer that can exceed 32 bits the format int64', () => {
  const integers = (part: unknown): SchemaObject[] => {
    if (typeof part !== 'object' || part === null) return [];
    const isInteger = 'type' in part && part.type === 'integer';
    return [
      ...(isInteger ? [part as SchemaObject] : []),
      ...Object.entries(part).flatMap(([name, value]) =>
        name.startsWith('example') ? [] : integers(value),
      ),
    ];
  };
  const all = integers([DOCUMENT.paths, DOCUMENT.components?.schemas]);
  expect(all.length).toBeGreaterThan(100);
  const wide = all.filter(({ maximum = Infinity }) => maximum > 2 ** 31 - 1);
  expect(wide.filter(({ format }) => format !== 'int64')).toEqual([]);
});

it('The document has no default of page where the list accepts a cursor', () => {
  const inUrls = OPERATIONS.map(({ spec: { operationId, parameters = [] } }) => {
    const named = parameters.map((parameter) => resolved<ParameterObject>(parameter));
    return {
      name: operationId,
      members: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    };
  });
  const inBodies = Object.entries(DOCUMENT.components?.schemas ?? {}).map(([name, schema]) => ({
    name,
    members: resolved<SchemaObject>(schema).properties ?? {},
  }));
  const both = [...inUrls, ...inBodies].filter(
    ({ members }) => members['page'] && members['cursor'],
  );
  expect(both.map(({ name }) => name)).toEqual(expect.arrayContaining(['listRows', 'RowQuery']));
  for (const { name, members } of both) {
    expect({ name, page: members['page'] }).toEqual({
      name,
      page: expect.not.objectContaining({ default: 1 }),
    });
  }
});

// Clients that send defaults would send them for columns of every type.
it('The document has no default of an option of columns', () => {
  const schema = DOCUMENT.components?.schemas?.['ColumnOptions'] as SchemaObject;
  const { properties = {} } = schema;
  const options = Object.entries(properties);
  expect(options.length).toBeGreaterThan(5);
  expect(options.filter(([, schema]) => 'default' in schema)).toEqual([]);
});

it('The document links to operations that exist, with all parameters of their paths', () => {
  const links = OPERATIONS.flatMap((operation) =>
    responsesOf(operation).flatMap(([, response]) =>
      Object.values(response.links ?? {}).map((link) => ({ from: operation, link })),
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  for (const { from, link } of links) {
    const { operationId, parameters = {} } = resolved<LinkObject>(link);
    const target = OPERATIONS.find(({ spec }) => spec.operationId === operationId);
    const inPath = [...(target?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect({ operationId, names: Object.keys(parameters) }).toEqual({ operationId, names: inPath });
    for (const value of Object.values(parameters)) {
      const [, name] = /^\$request\.path\.(\w+)$/.exec(value) ?? [];
      expect(name === undefined || from.path.includes(`{${name}}`)).toBe(true);
    }
  }
});

/** Strings and arrays of requests without a maximum in the document. Do not add to them. */
const WITHOUT_MAXIMUM = [
  'Cache-Control',
  'If-Match',
  'If-None-Match',
  'body.cursor',
  'cursor',
  'fields',
  'filter',
];

/** Returns the names of the strings and arrays in a part of a request that have no maximum. */
function withoutMaximum(part: unknown, name: string, seen: ReadonlySet<unknown>): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const schema = resolved<SchemaObject>(part);
  if (seen.has(schema)) return [];
  const within = new Set([...seen, schema]);
  const { type, properties = {}, items, additionalProperties, oneOf = [], allOf = [] } = schema;
  const isBounded =
    schema.enum !== undefined ||
    schema.format !== undefined ||
    /\{\d+,\d+\}\$$/.test(schema.pattern ?? '');
  const isOpen =
    (type === 'string' && schema.maxLength === undefined && !isBounded) ||
    (type === 'array' && schema.maxItems === undefined);
  return [
    ...(isOpen ? [name] : []),
    ...Object.entries(properties).flatMap(([key, value]) =>
      withoutMaximum(value, `${name}.${key}`, within),
    ),
    ...withoutMaximum(items, `${name}[]`, within),
    ...withoutMaximum(additionalProperties, `${name}.*`, within),
    ...[...oneOf, ...allOf].flatMap((value) => withoutMaximum(value, name, within)),
  ];
}

it('The document has a maximum for every string and array of a request, with these exceptions', () => {
  const open = OPERATIONS.flatMap(({ spec }) => {
    const parameters = (spec.parameters ?? []).map((each) => resolved<ParameterObject>(each));
    const { content = {} } = spec.requestBody
      ? resolved<RequestBodyObject>(spec.requestBody)
      : { content: {} };
    return [
      ...parameters.flatMap(({ name, schema }) => withoutMaximum(schema, name, new Set())),
      ...Object.values(content).flatMap(({ schema }) => withoutMaximum(schema, 'body', new Set())),
    ];
  });
  expect([...new Set(open)].sort()).toEqual(WITHOUT_MAXIMUM);
});

describe('the texts of the document', () => {
  const texts = textsIn(DOCUMENT, '');
  const schemas = Object.entries(DOCUMENT.components?.schemas ?? {});

  it('have no raw annotations of comments', () => {
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter(([, text]) => RAW_ANNOTATION.test(text))).toEqual([]);
  });

  it('use the words of the field', () => {
    expect(texts.filter(([, text]) => REPLACED_WORDS.test(text))).toEqual([]);
  });

  it('describe every property of every schema', () => {
    const properties = schemas.flatMap(([schema, definition]) =>
      Object.entries(resolved<SchemaObject>(definition).properties ?? {}).map(
        ([name, property]) => ({
          name: `${schema}.${name}`,
          description: 'description' in property ? property.description : undefined,
        }),
      ),
    );
    expect(properties.length).toBeGreaterThan(100);
    expect(properties.filter(({ description }) => !SENTENCES.test(description ?? ''))).toEqual([]);
  });

  it('describe every tag, header and response', () => {
    const { headers = {}, responses = {} } = DOCUMENT.components ?? {};
    const own = OPERATIONS.flatMap(({ spec }) => Object.values(spec.responses));
    const described = [...(DOCUMENT.tags ?? []), ...Object.values(headers), ...own].concat(
      Object.values(responses),
    );
    for (const part of described) {
      const { description } = resolved<{ description?: string }>(part ?? {});
      expect(description).toMatch(SENTENCES);
    }
  });

  it('name schemas without the suffix of their classes', () => {
    const names = schemas.map(([name]) => name);
    expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name) || name.includes('Dto'))).toEqual(
      [],
    );
  });
});

describe.each(OPERATIONS)('the operation $name', (operation) => {
  const { spec, path, method } = operation;

  it('has a summary in the imperative and a description, one tag, and requires a key', () => {
    expect(spec.summary).toMatch(IMPERATIVE);
    expect(spec.description).toMatch(SENTENCES);
    expect(spec.operationId).toMatch(/^[a-z]+[A-Z][a-zA-Z]+$/);
    expect(spec.tags).toHaveLength(1);
    expect(spec.security).toEqual([{ apiKey: [] }]);
  });

  it('describes every parameter in sentences, including those of its path', () => {
    const parameters = (spec.parameters ?? []).map((parameter) => resolved(parameter));
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath.map(({ name }) => name)).toEqual(names);
    for (const parameter of parameters) {
      expect(parameter.description).toMatch(SENTENCES);
      expect(parameter.schema).toHaveProperty('type');
    }
  });

  it('describes errors in the error format, with the statuses of every route', () => {
    const failures = responsesOf(operation).filter(([status]) => status >= 400);
    const statuses = failures.map(([status]) => status);
    const ofBodies = spec.requestBody ? [413, 415] : [];
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 403, 429, 500, 503, ...ofBodies]));
    for (const [status, { content }] of failures) {
      const media = content?.[JSON_TYPE] ?? {};
      expect(media.schema).toEqual({ $ref: '#/components/schemas/Error' });
      const examples = examplesOf(media) as { error: { code: keyof typeof ERROR_STATUS } }[];
      expect(examples.length).toBeGreaterThan(0);
      for (const { error } of examples) expect(ERROR_STATUS[error.code]).toBe(status);
    }
  });

  it('has one success status, or two if it may run on, and an example for each body', () => {
    const successes = responsesOf(operation).filter(([status]) => status < 300);
    const statuses = successes.map(([status]) => status);
    if (statuses.length > 1) expect(statuses).toEqual([201, 202]);
    else expect(statuses).toHaveLength(1);
    for (const [status, { content }] of successes) {
      expect(content === undefined).toBe(status === 204);
    }
  });

  it('names the headers of its responses', () => {
    for (const [status, { headers }] of responsesOf(operation)) {
      const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
      if (status === 401) names.push('WWW-Authenticate');
      if ([409, 429, 503].includes(status)) names.push('Retry-After');
      if (status === 200 && method === 'get') names.push('ETag', 'Cache-Control');
      expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(names));
    }
  });

  it('has examples that fit their schemas', () => {
    for (const [, { content }] of responsesOf(operation)) {
      const media = content?.[JSON_TYPE];
      if (media) expectExamplesToFit(media);
    }
  });

  const { requestBody } = spec;
  const takesJson = requestBody && JSON_TYPE in resolved<RequestBodyObject>(requestBody).content;
  if (requestBody && !takesJson) {
    it('accepts bodies of the listed types as bytes', () => {
      const { required, content } = resolved<RequestBodyObject>(requestBody);
      expect(required).toBe(true);
      const file = {
        schema: { type: 'string', format: 'binary' },
        example: expect.stringMatching(/\n$/),
      };
      expect(content).toEqual({
        'text/csv': file,
        'application/x-ndjson': file,
        'application/octet-stream': file,
      });
    });
  }
  if (requestBody && takesJson) {
    it('accepts a JSON body without unknown properties', () => {
      const { required, content } = resolved<RequestBodyObject>(requestBody);
      const media = content[JSON_TYPE] ?? {};
      expect(required).toBe(true);
      expectExamplesToFit(media);
      for (const example of examplesOf(media) as object[]) {
        expect(validatorOf(media)({ ...example, unknownMember: 1 })).toBe(false);
      }
    });
  }
});

function expectExamplesToFit(media: Parameters<typeof examplesOf>[0]): void {
  const examples = examplesOf(media);
  const validate = validatorOf(media);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    validate(example);
    expect({ example, errors: validate.errors }).toEqual({ example, errors: null });
  }
}
