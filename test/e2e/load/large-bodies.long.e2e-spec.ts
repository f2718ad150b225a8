import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'json', type: 'json' }])}/rows`;
});

afterAll(() => app.close());

const properties = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${String(index)}":1`).join(',');

describe('a large body', () => {
  it.each([
    ['3.3 million empty arrays', () => `[${'[],'.repeat(3_300_000)}[]]`, 'values'],
    ['700,000 unknown columns', () => `{"values":{${properties(700_000)}}}`, 'properties'],
    [
      'a duplicate key after 700,000 properties',
      () => `{${properties(700_000)},"k0":1}`,
      'properties',
    ],
  ])('is rejected with 413 if it has %s', async (_, body, what) => {
    const response = await owner.api.post(rows, body());
    expectFailure(response, 'payload_too_large', ['body too_many']);
    expect(response.body.error.message).toContain(what);
  });

  it('is parsed while other requests are served if it has a million values', async () => {
    const text = `{"values":{"json":[${'[],'.repeat(990_000)}[]]}}`;
    const state = { hasResponse: false, others: 0 };
    const large = owner.api.post(rows, text).finally(() => {
      state.hasResponse = true;
    });
    while (!state.hasResponse) {
      expect((await owner.api.get('/me')).status).toBe(200);
      state.others += 1;
    }
    expectFailure(await large, 'payload_too_large', ['values too_large']);
    // If it were parsed in one go, at most two requests would be served.
    expect(state.others).toBeGreaterThan(3);
  });
});
