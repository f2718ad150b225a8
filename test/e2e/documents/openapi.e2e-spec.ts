import type { ParameterObject } from '@nestjs/swagger';
import {
  DOCUMENT,
  responsesOf,
  exactValidatorOf,
  examplesOf,
  OPERATIONS,
  OPERATIONS_AND_ALIASES,
  resolved,
} from '../../support/openapi-file';
import { type Member, TestApp } from '../../support/test-app';
import {
  bodyOf,
  type Ids,
  newExampleIds,
  type Operation,
  pathOf,
  prepare,
  type Shown,
  shownCalls,
} from './openapi-examples';

/** Names of the response headers that the document describes. */
const HEADER_NAMES = Object.keys(DOCUMENT.components?.headers ?? {});

/** Operations that only read, beside those with GET. */
const READS = new Set(['queryRows', 'aggregateRows']);

const isRead = ({ method, spec }: Operation): boolean =>
  method === 'get' || READS.has(spec.operationId ?? '');

/**
 * Returns whether a call would conflict with those of other operations in its account: by the name of a
 * workspace, an Idempotency-Key or an import that runs.
 */
const needsAccount = ({ path, spec }: Operation, { headers }: Shown): boolean =>
  /\/workspaces(\/\{workspaceId\})?$/.test(path) ||
  'Idempotency-Key' in headers ||
  spec.operationId === 'cancelImport';

let app: TestApp;
let sharedOwner: Member;
/** What the examples of all reads refer to. They do not change it. */
let readIds: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  sharedOwner = await app.newAccount();
  const reads = OPERATIONS.filter(isRead);
  readIds = await newExampleIds(sharedOwner, ...reads.map(({ path }) => path));
});

afterAll(() => app.close());

describe.each(OPERATIONS_AND_ALIASES)('the examples of $name', (operation) => {
  const success = responsesOf(operation).find(([status]) => status < 300);
  const [expected, response] = success ?? [];
  const content = response?.content;
  const media = content?.['application/json'];
  const isFile = content !== undefined && media === undefined;

  const isAlias = !OPERATIONS.includes(operation);

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

  // An alias calls the same code.
  const calls = isAlias ? shownCalls(operation).slice(-1) : shownCalls(operation);

  it.each(calls)('succeed with the described response: $what', async (shown) => {
    const isShared = isRead(operation);
    const owner =
      !isShared && needsAccount(operation, shown) ? await app.newAccount() : sharedOwner;
    const ids = isShared ? readIds : await newExampleIds(owner, operation.path);
    await prepare(owner, operation, ids, app.port);
    const query = new URLSearchParams(shown.query).toString();
    const method = operation.method.toUpperCase();
    const body = bodyOf(operation, shown, ids);
    const response = await owner.api.send(
      method,
      `${pathOf(operation, ids)}?${query}`,
      body,
      shown.headers,
    );
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
