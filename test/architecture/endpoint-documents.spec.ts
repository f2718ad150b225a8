import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationObject, ParameterObject, SchemaObject } from '@nestjs/swagger';
import {
  breaches,
  type Contract,
  contractOf,
  printedContract,
} from '../../src/platform/openapi/contract';
import { endpointsPage } from '../../src/platform/openapi/endpoints';
import { PUBLIC_API } from '../../src/platform/http/access';
import { DOCUMENT, OPERATIONS, resolved, responsesOf } from '../support/openapi-file';

const read = (name: string): string =>
  readFileSync(join(__dirname, '../../docs/api', name), 'utf8');

const section = (name: string, title: string): string =>
  read(name).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

/** Returns the schemas of the successful JSON responses of an operation. */
const bodiesOf = (operation: (typeof OPERATIONS)[number]): SchemaObject[] =>
  responsesOf(operation)
    .filter(([status]) => status < 300)
    .map(([, response]) => response.content?.['application/json']?.schema)
    .flatMap((schema) => (schema ? [resolved<SchemaObject>(schema)] : []));

const property = (schema: SchemaObject, name: string): SchemaObject =>
  resolved<SchemaObject>(schema.properties?.[name] ?? {});

/** Operations that return a list, with or without page numbers. */
const LISTS = OPERATIONS.filter(
  (operation) =>
    !operation.name.includes('/rows/query') &&
    bodiesOf(operation).some((body) => property(body, 'data').type === 'array'),
);

const takes = ({ parameters }: OperationObject, name: string): boolean =>
  (parameters ?? []).some((one) => resolved<ParameterObject>(one).name === name);

const shortName = (name: string): string => name.replace(`/${PUBLIC_API}`, '');

describe('docs/api/endpoints.md', () => {
  it('lists every operation of the document with its scope and its page', () => {
    expect(read('endpoints.md')).toBe(endpointsPage(DOCUMENT));
    expect(read('endpoints.md').match(/^\| `/gm)).toHaveLength(OPERATIONS.length);
  });

  it.each(OPERATIONS.map(({ name, path, spec }) => [shortName(name), path, spec] as const))(
    'leads %s to a page that names its path',
    (_, path, { externalDocs }) => {
      const page = /^\/docs\/guides\/api\/([\w-]+)$/.exec(externalDocs?.url ?? '')?.[1] ?? '';
      const [, tail = path] =
        /^\/api\/v1\/public(?:\/workspaces\/\{workspaceId\})?(\/.+)$/.exec(path) ?? [];
      const pattern = tail
        .split('/')
        .filter((part) => part !== '')
        .slice(-2)
        .map((part) => (part.startsWith('{') ? '(?:\\{\\w+\\}|\\$\\w+|…|\\w+)' : part))
        .join('/');
      expect(read(`${page}.md`)).toMatch(new RegExp(pattern));
    },
  );
});

describe('docs/contract.json', () => {
  const text = read('../contract.json');
  const promised = JSON.parse(text) as Contract;

  it('has promises that the API description keeps: v1 only grows', () => {
    expect(Object.keys(promised).length).toBeGreaterThan(1_000);
    expect(breaches(promised, contractOf(DOCUMENT))).toEqual([]);
  });

  it('has every promise of the API description', () => {
    expect(text).toBe(printedContract(contractOf(DOCUMENT)));
  });
});

describe('docs/api/paging.md', () => {
  const named = [
    ...section('paging.md', 'Lists without page numbers').matchAll(/^\| `([^`]+)`/gm),
  ].map(([, name = '']) => name);

  it('names every list that has no page numbers, and no other', () => {
    const without = LISTS.filter(
      ({ method, spec }) =>
        (method === 'get' && !takes(spec, 'page')) || spec.operationId === 'aggregateRows',
    );
    // The last one is outside of the base path of the API.
    expect(named.sort()).toEqual(
      [...without.map(({ name }) => shortName(name)), 'GET /shared/{token}/rows'].sort(),
    );
  });

  it('says that only lists of rows have both page numbers and a cursor', () => {
    const both = LISTS.filter(({ spec }) => takes(spec, 'page') && takes(spec, 'cursor'));
    expect(both.map(({ spec }) => spec.operationId)).toEqual(['listRows']);
  });
});

describe('docs/api/README.md', () => {
  it('names every member of meta in the table of envelopes', () => {
    const members = new Set(
      OPERATIONS.flatMap(bodiesOf).flatMap((body) =>
        Object.keys(property(body, 'meta').properties ?? {}),
      ),
    );
    expect(members.size).toBeGreaterThan(5);
    const table = section('README.md', 'Response envelope');
    expect([...members].filter((name) => !new RegExp(`[\`"]${name}[\`"]`).test(table))).toEqual([]);
  });
});
