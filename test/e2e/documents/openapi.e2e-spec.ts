import type { ParameterObject } from '@nestjs/swagger';
import {
  DOCUMENT,
  responsesOf,
  exactValidatorOf,
  examplesOf,
  OPERATIONS_AND_ALIASES,
  resolved,
} from '../../support/openapi-file';
import { type Member, TestApp } from '../../support/test-app';
import { bodyOf, prepare, shownCalls } from './openapi-examples';

/** Names of the response headers that the document describes. */
const HEADER_NAMES = Object.keys(DOCUMENT.components?.headers ?? {});

/** Operations that only read, beside those with GET. */
const READS = new Set(['queryRows', 'aggregateRows']);

type Place = Awaited<ReturnType<typeof prepare>> & { readonly owner: Member };

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

describe.each(OPERATIONS_AND_ALIASES)('the examples of $name', (operation) => {
  const success = responsesOf(operation).find(([status]) => status < 300);
  const [expected, response] = success ?? [];
  const content = response?.content;
  const media = content?.['application/json'];
  const isFile = content !== undefined && media === undefined;

  const newPlace = async (): Promise<Place> => {
    const owner = await app.newAccount();
    return { owner, ...(await prepare(owner, operation, app.port)) };
  };
  const isRead = operation.method === 'get' || READS.has(operation.spec.operationId ?? '');
  /** What the examples of a read refer to, which they do not change. */
  let place: Promise<Place> | undefined;

  it('exist for its body and for every parameter', () => {
    const parameters = (operation.spec.parameters ?? []).map((one) =>
      resolved<ParameterObject>(one),
    );
    const without = parameters.filter((parameter) => examplesOf(parameter).length === 0);
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(shownCalls(operation).some(({ body }) => body !== undefined)).toBe(
      operation.spec.requestBody !== undefined,
    );
  });

  it.each(shownCalls(operation))('succeed with the described response: $what', async (shown) => {
    const { owner, path, ids } = isRead ? await (place ??= newPlace()) : await newPlace();
    const query = new URLSearchParams(shown.query).toString();
    const method = operation.method.toUpperCase();
    const body = bodyOf(operation, shown, ids);
    const response = await owner.api.send(method, `${path}?${query}`, body, shown.headers);
    expect(response.status).toBe(expected);
    const declared = Object.keys(success?.[1].headers ?? {});
    const sent = HEADER_NAMES.filter((name) => response.headers.has(name));
    expect(declared).toEqual(expect.arrayContaining(sent));
    // A list of created rows has no version.
    const isCreatedList = response.status === 201 && Array.isArray(response.body?.data);
    expect(sent.includes('ETag')).toBe(declared.includes('ETag') && !isCreatedList);
    if (isFile) {
      const types = Object.keys(content).map((type) => expect.stringContaining(type));
      expect(types).toContainEqual(response.headers.get('content-type'));
      return;
    }
    expect({ status: response.status, text: response.text }).toEqual({
      status: expected,
      text: media ? expect.stringMatching(/^\{"data":/) : '',
    });
    if (!media) return;
    const validate = exactValidatorOf(media);
    validate(response.body);
    expect({ body: response.body, errors: validate.errors }).toEqual({
      body: response.body,
      errors: null,
    });
  });
});
