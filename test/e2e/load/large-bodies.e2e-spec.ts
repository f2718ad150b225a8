import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'json', type: 'json' }])}/rows`;
});

afterAll(() => app.close());

const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${String(index)}":1`).join(',');

describe('a large body', () => {
  it.each([
    ['3.3 million empty arrays', () => `[${'[],'.repeat(3_300_000)}[]]`, 'values'],
    ['700,000 unknown columns', () => `{"values":{${members(700_000)}}}`, 'properties'],
    ['a duplicate key after 700,000 members', () => `{${members(700_000)},"k0":1}`, 'properties'],
  ])('of %s is rejected with 413', async (_, body, what) => {
    const answer = await owner.api.post(rows, body());
    expectFailure(answer, 'payload_too_large', ['body too_many']);
    expect(answer.body.error.message).toContain(what);
  });

  it('of a million values is parsed while other requests are answered', async () => {
    const text = `{"values":{"json":[${'[],'.repeat(990_000)}[]]}}`;
    const state = { isAnswered: false, others: 0 };
    const large = owner.api.post(rows, text).finally(() => {
      state.isAnswered = true;
    });
    while (!state.isAnswered) {
      expect((await owner.api.get('/me')).status).toBe(200);
      state.others += 1;
    }
    expectFailure(await large, 'payload_too_large', ['values too_large']);
    // In one go it is parsed before the second one is answered.
    expect(state.others).toBeGreaterThan(10);
  });
});
