import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let query: string;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.newAccount();
  query = `${await newDatagrid(owner.api, [{ key: 'a', type: 'text' }])}/rows/query`;
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/rows/query', () => {
  it('400: names the members of its body that it does not know, as members', async () => {
    const answer = await owner.api.post(query, { lmit: 5, where: {}, sort: 'a', page: 1 });
    expectFailure(answer, 'invalid_request', ['lmit unknown_property', 'where unknown_property']);
  });

  it('400: takes no parameters', async () => {
    const answer = await owner.api.post(`${query}?sort=a`, {});
    expectFailure(answer, 'invalid_request', ['sort unknown_parameter']);
  });

  it('400: names every member of a wrong type, as of JSON and not of a URL', async () => {
    const body = { page: '1', limit: [5], filter: [], sort: ['a'], fields: 1, q: null, cursor: {} };
    const answer = await owner.api.post(query, body);
    const names = ['page', 'limit', 'sort', 'fields', 'q', 'cursor', 'filter'];
    expectFailure(
      answer,
      'invalid_request',
      names.map((name) => `${name} wrong_type`),
    );
  });

  it('400: names a number that is none of a page', async () => {
    expectFailure(await owner.api.post(query, { page: 1.5, limit: 201 }), 'invalid_request', [
      'page invalid_format',
      'limit out_of_range',
    ]);
  });
});
