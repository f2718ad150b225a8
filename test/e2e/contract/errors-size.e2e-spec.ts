import type { ApiResponse } from '../../support/api-client';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

/** Much more than an error needs, and much less than the size of these requests. */
const MAX_BYTES = 50_000;
const MANY = 10_000;

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'a', type: 'text' }])}/rows`;
});

afterAll(() => app.close());

const manyMembers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${String(index)}`, 1]));

const batch = (mode: string, values: object): object => ({
  mode,
  operations: [{ op: 'create', values }],
});

function expectShort(response: ApiResponse): void {
  expect(expectErrorShape(response)).toBe('invalid_request');
  expect(Buffer.byteLength(response.text)).toBeLessThan(MAX_BYTES);
}

describe('an error response', () => {
  const many: [string, (wrong: object) => Promise<ApiResponse>][] = [
    ['properties of a row', (wrong) => owner.api.post(rows, wrong)],
    ['values of a row', (wrong) => owner.api.post(rows, { values: wrong })],
    ['values of a merge', (wrong) => owner.api.patch(`${rows}/1`, { values: wrong })],
    ['properties of a batch', (wrong) => owner.api.post(`${rows}/batch`, wrong)],
    ['values in a batch', (wrong) => owner.api.post(`${rows}/batch`, batch('atomic', wrong))],
    ['properties of a query', (wrong) => owner.api.post(`${rows}/query`, wrong)],
    ['properties of a deletion', (wrong) => owner.api.post(`${rows}/delete`, wrong)],
  ];

  it.each(many)('lists only the first 100 of many unknown %s', async (_, send) => {
    const response = await send(manyMembers(MANY));
    expectShort(response);
    expect(response.body.error.message).toBe(
      'At least 1000 errors found; the first 100 are listed.',
    );
    expect(response.body.error.details).toHaveLength(100);
  });

  it('lists the first 100 errors of an operation of a partial batch', async () => {
    const response = await owner.api.post(`${rows}/batch`, batch('partial', manyMembers(MANY)));
    expect(response.status).toBe(200);
    expect(response.body.data.results[0].error.details).toHaveLength(100);
    expect(Buffer.byteLength(response.text)).toBeLessThan(MAX_BYTES);
  });

  it('lists the first 100 errors in the objects of a body', async () => {
    const path = rows.replace(/\/rows$/, '');
    const { workspaceId } = (await owner.api.get(path)).body.data as { workspaceId: string };
    const columns = Array.from({ length: 150 }, () => manyMembers(90));
    const response = await owner.api.post(`/workspaces/${workspaceId}/datagrids`, {
      name: 'Wide',
      columns,
    });
    expectShort(response);
    expect(response.body.error.details).toHaveLength(100);
  });

  it('lists the first 100 unknown query parameters', async () => {
    const query = Object.keys(manyMembers(1_500)).join('&');
    const response = await owner.api.get(`/workspaces?${query}`);
    expectShort(response);
    expect(response.body.error.details).toHaveLength(100);
  });

  const long: [string, (name: string) => Promise<ApiResponse>][] = [
    [
      'a property of a workspace',
      (name) => owner.api.post('/workspaces', { name: 'W', [name]: 1 }),
    ],
    ['a property of a row', (name) => owner.api.post(rows, { values: {}, [name]: 1 })],
    ['a value', (name) => owner.api.post(rows, { values: { [name]: 1 } })],
    ['a filter', (name) => owner.api.post(`${rows}/query`, { filter: { [name]: 1 } })],
    ['an operator', (name) => owner.api.post(`${rows}/query`, { filter: { a: { [name]: 1 } } })],
    ['a repeated key', (name) => owner.api.post(rows, `{"${name}":1,"${name}":2}`)],
    ['a key with a number too exact', (name) => owner.api.post(rows, `{"${name}":1e400}`)],
  ];

  it.each(long)('shortens the name of %s', async (_, send) => {
    const response = await send('😀.'.repeat(20_000));
    expectShort(response);
    expect(Array.from(response.body.error.details[0].field as string).length).toBeLessThan(202);
    expect(response.body.error.details[0].field).toMatch(/…$/);
    expect(Array.from(response.body.error.message as string).length).toBeLessThan(400);
  });

  it('shortens the name or value of a parameter', async () => {
    const name = 'x'.repeat(5_000);
    for (const query of [`${name}=1`, `page=${name}`, `sort=${name}`, `fields=${name}`]) {
      const response = await owner.api.get(`${rows}?${query}`);
      expectShort(response);
      expect(response.text.length).toBeLessThan(1_000);
    }
  });
});
