import type { RequestBodyObject } from '@nestjs/swagger';
import { ERROR_STATUS } from '../../src/common/error/error-code';
import { PUBLIC_API } from '../../src/platform/http/public-api';
import {
  DOCUMENT,
  OPERATIONS,
  answersOf,
  examplesOf,
  resolved,
  validatorOf,
} from '../support/kept-document';
import { allRoutes, named } from './unconnected-app';

const JSON_TYPE = 'application/json';

it('The document has every route of the public API, and no other', async () => {
  const routes = (await allRoutes())
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith(`/${PUBLIC_API}/`))
    .map((route) => named(route).replaceAll(/:(\w+)/g, '{$1}'))
    .filter((name) => name !== `GET /${PUBLIC_API}/openapi.json`);
  expect(OPERATIONS.map(({ name }) => name).sort()).toEqual(routes.sort());
});

it('Operation ids are unique', () => {
  const ids = OPERATIONS.map(({ spec }) => spec.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('Tags are those of the document', () => {
  const used = OPERATIONS.flatMap(({ spec }) => spec.tags ?? []);
  expect([...new Set(used)].sort()).toEqual((DOCUMENT.tags ?? []).map(({ name }) => name).sort());
});

describe.each(OPERATIONS)('$name', (operation) => {
  const { spec, path, method } = operation;

  it('says what it does, under one tag, for the holder of a key', () => {
    expect(spec.summary).toMatch(/^[A-Z].*\.$/s);
    expect(spec.operationId).toMatch(/^[a-z]+[A-Z][a-zA-Z]+$/);
    expect(spec.tags).toHaveLength(1);
    expect(spec.security).toEqual([{ apiKey: [] }]);
  });

  it('describes every parameter, and has every one of its path', () => {
    const parameters = (spec.parameters ?? []).map((parameter) => resolved(parameter));
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath.map(({ name }) => name)).toEqual(names);
    for (const parameter of parameters) {
      expect(parameter).toMatchObject({ description: /./, schema: { type: /./ } });
    }
  });

  it('fails in the one shape, with the statuses that every route has', () => {
    const failures = answersOf(operation).filter(([status]) => status >= 400);
    const statuses = failures.map(([status]) => status);
    const ofBodies = spec.requestBody ? [413, 415] : [];
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 403, 429, 500, 503, ...ofBodies]));
    for (const [status, { content }] of failures) {
      const media = content?.[JSON_TYPE] ?? {};
      expect(media.schema).toEqual({ $ref: '#/components/schemas/ErrorDto' });
      const examples = examplesOf(media) as { error: { code: keyof typeof ERROR_STATUS } }[];
      expect(examples.length).toBeGreaterThan(0);
      for (const { error } of examples) expect(ERROR_STATUS[error.code]).toBe(status);
    }
  });

  it('succeeds with one status, or two where it may go on, and an example where there is a body', () => {
    const successes = answersOf(operation).filter(([status]) => status < 300);
    const statuses = successes.map(([status]) => status);
    if (statuses.length > 1) expect(statuses).toEqual([201, 202]);
    else expect(statuses).toHaveLength(1);
    for (const [status, { content }] of successes) {
      expect(content === undefined).toBe(status === 204);
    }
  });

  it('names the headers of its answers', () => {
    for (const [status, { headers }] of answersOf(operation)) {
      const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
      if (status === 401) names.push('WWW-Authenticate');
      if ([409, 429, 503].includes(status)) names.push('Retry-After');
      if (status === 200 && method === 'get') names.push('ETag', 'Cache-Control');
      expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(names));
    }
  });

  it('has examples that fit their schemas', () => {
    for (const [, { content }] of answersOf(operation)) {
      const media = content?.[JSON_TYPE];
      if (media) expectExamplesToFit(media);
    }
  });

  const { requestBody } = spec;
  const takesJson = requestBody && JSON_TYPE in resolved<RequestBodyObject>(requestBody).content;
  if (requestBody && !takesJson) {
    it('asks for a text of the types that it names', () => {
      const { required, content } = resolved<RequestBodyObject>(requestBody);
      expect(required).toBe(true);
      const file = { schema: { type: 'string' }, example: expect.stringMatching(/\n$/) };
      expect(content).toEqual({ 'text/csv': file, 'application/x-ndjson': file });
    });
  }
  if (requestBody && takesJson) {
    it('asks for a JSON body, closed to unknown members', () => {
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
