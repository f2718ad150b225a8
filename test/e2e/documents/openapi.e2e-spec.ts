import type { ParameterObject } from '@nestjs/swagger';
import {
  answersOf,
  exactValidatorOf,
  examplesOf,
  OPERATIONS,
  resolved,
} from '../../support/kept-document';
import { TestApp } from '../../support/test-app';
import { preparedPath, shownCalls } from './openapi-examples';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});

afterAll(() => app.close());

describe.each(OPERATIONS)('the examples of $name', (operation) => {
  const success = answersOf(operation).find(([status]) => status < 300);
  const [expected, response] = success ?? [];
  const content = response?.content;
  const media = content?.['application/json'];
  const isFile = content !== undefined && media === undefined;

  it('are there for its body and for every parameter', () => {
    const parameters = (operation.spec.parameters ?? []).map((one) =>
      resolved<ParameterObject>(one),
    );
    const without = parameters.filter((parameter) => examplesOf(parameter).length === 0);
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(shownCalls(operation).some(({ body }) => body !== undefined)).toBe(
      operation.spec.requestBody !== undefined,
    );
  });

  it.each(shownCalls(operation))('succeed as described: $what', async (shown) => {
    const owner = await app.newAccount();
    const query = new URLSearchParams(shown.query).toString();
    const path = await preparedPath(owner, operation, app.port);
    const method = operation.method.toUpperCase();
    const answer = await owner.api.send(method, `${path}?${query}`, shown.body, shown.headers);
    expect(answer.status).toBe(expected);
    if (isFile) {
      const types = Object.keys(content).map((type) => expect.stringContaining(type));
      expect(types).toContainEqual(answer.headers.get('content-type'));
      return;
    }
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: expected,
      text: media ? expect.stringMatching(/^\{"data":/) : '',
    });
    if (!media) return;
    const validate = exactValidatorOf(media);
    validate(answer.body);
    expect({ body: answer.body, errors: validate.errors }).toEqual({
      body: answer.body,
      errors: null,
    });
  });
});
