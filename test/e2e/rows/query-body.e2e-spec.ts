import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let query: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  query = `${await newDatagrid(owner.api, [{ key: 'a', type: 'text' }])}/rows/query`;
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/rows/query', () => {
  it('returns 400 and lists unknown properties of the body', async () => {
    const response = await owner.api.post(query, { lmit: 5, where: {}, sort: 'a', page: 1 });
    expectFailure(response, 'invalid_request', ['lmit unknown_property', 'where unknown_property']);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await owner.api.post(`${query}?sort=a`, {});
    expectFailure(response, 'invalid_request', ['sort unknown_parameter']);
  });

  it('returns 400 and lists every property of a wrong type', async () => {
    const body = { page: '1', limit: [5], filter: [], sort: ['a'], fields: 1, q: null, cursor: {} };
    const response = await owner.api.post(query, body);
    const names = ['page', 'limit', 'sort', 'fields', 'q', 'cursor', 'filter'];
    expectFailure(
      response,
      'invalid_request',
      names.map((name) => `${name} wrong_type`),
    );
  });

  it('returns 400 for an invalid page and limit', async () => {
    expectFailure(await owner.api.post(query, { page: 1.5, limit: 201 }), 'invalid_request', [
      'page invalid_format',
      'limit out_of_range',
    ]);
  });
});
