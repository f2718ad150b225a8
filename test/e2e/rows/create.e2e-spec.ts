import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, RFC3339, type Team } from '../../support/fixture';
import { exchange, rawRequest } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

const columns = [
  { key: 'n', type: 'integer' },
  { key: 't', type: 'text' },
  { key: 'constructor', type: 'json' },
];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, columns)}/rows`;
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/rows with { values }', () => {
  it.each(['owner', 'admin', 'editor'] as const)(
    'returns the created row to the role %s',
    async (role) => {
      const own = `${await newDatagrid(team.owner.api, columns)}/rows`;
      const values = { n: 7, t: ' ä ', constructor: { a: [1, null] } };
      const { status, body, headers } = await team[role].api.post(own, { values });
      expect(status).toBe(201);
      expect(body).toEqual({
        data: {
          id: 1,
          values,
          revision: 1,
          createdAt: expect.stringMatching(RFC3339),
          updatedAt: body.data.createdAt,
        },
      });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('link')).toBeNull();
      expect((await team.viewer.api.get(`${own}/1`)).body).toEqual(body);
    },
  );

  it('stores no value for null and for a missing column', async () => {
    const cleared = dataOf(await team.editor.api.post(rows, { values: { n: null } }), 201);
    const empty = dataOf(await team.editor.api.post(rows, { values: {} }), 201);
    expect([cleared.values, empty.values]).toEqual([{}, {}]);
    expect(empty.id - cleared.id).toBe(1);
  });

  it('accepts a request with Expect: 100-continue', async () => {
    const request = rawRequest(
      [
        `POST /api/v1/public${rows} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${team.editor.key}`,
        'Content-Type: application/json',
        'Content-Length: 13',
        'Expect: 100-continue',
      ],
      '{"values":{}}',
    );
    const received = await exchange(app.port, request);
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  });

  it('accepts a row of exactly 1 MB', async () => {
    const t = 'x'.repeat(1024 * 1024 - '{"t":""}'.length);
    const { id } = dataOf(await team.editor.api.post(rows, { values: { t } }), 201);
    expect((await team.viewer.api.get(`${rows}/${id}`)).body.data.values.t).toBe(t);
  });

  it.each<[string, string | undefined, string]>([
    ['no body', undefined, 'body wrong_type'],
    ['a list', '[]', 'body wrong_type'],
    ['a text', '"x"', 'body wrong_type'],
    ['no values', '{}', 'values required'],
    ['null for values', '{"values":null}', 'values wrong_type'],
    ['a list for values', '{"values":[]}', 'values wrong_type'],
    ['a text for values', '{"values":"n"}', 'values wrong_type'],
    ['an id', '{"id":5,"values":{}}', 'id unknown_property'],
    ['an unknown column', '{"values":{"N":1}}', 'values.N unknown_column'],
    [
      'the name of an inherited property',
      '{"values":{"toString":1}}',
      'values.toString unknown_column',
    ],
    ['a duplicate key', '{"values":{"n":1,"n":2}}', 'values.n duplicate_key'],
    ['text that is not JSON', '{"values":{"n":01}}', 'body malformed_json'],
    ['rows beside values', '{"rows":[],"values":{}}', 'values unknown_property'],
  ])('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await team.editor.api.post(rows, body), 'invalid_request', [detail]);
  });

  it('lists every invalid value in one response', async () => {
    const response = await team.editor.api.post(rows, { values: { n: 'x', t: 1, u: 1 } });
    expectFailure(response, 'invalid_request', [
      'values.n wrong_type',
      'values.t wrong_type',
      'values.u unknown_column',
    ]);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.editor.api.post(`${rows}?upsert=n`, { values: {} });
    expectFailure(response, 'invalid_request', ['upsert unknown_parameter']);
  });

  it('returns 400 if a required column has no value', async () => {
    const own = await newDatagrid(team.owner.api, [
      { key: 'a', type: 'text', required: true },
      { key: 'b', type: 'boolean', required: true },
      { key: 'c', type: 'text' },
    ]);
    const response = await team.editor.api.post(`${own}/rows`, { values: { b: null, c: 'x' } });
    expectFailure(response, 'invalid_request', ['values.a required', 'values.b required']);
    const { status } = await team.editor.api.post(`${own}/rows`, { values: { a: '', b: false } });
    expect(status).toBe(201);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().post(rows, { values: {} }), 'unauthenticated');
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(await team.viewer.api.post(rows, { values: {} }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('returns 404 for the datagrid %s', async (id) => {
    const response = await team.owner.api.post(`/datagrids/${id}/rows`, { values: {} });
    expectFailure(response, 'not_found');
  });

  it('returns 413 for a row that is one byte larger than 1 MB', async () => {
    const before = (await team.viewer.api.get(rows)).body.meta.total;
    const t = 'x'.repeat(1024 * 1024 - '{"t":""}'.length + 1);
    const response = await team.editor.api.post(rows, { values: { t } });
    expectFailure(response, 'payload_too_large', ['values too_large']);
    expect((await team.viewer.api.get(rows)).body.meta.total).toBe(before);
  });

  it('returns 413 by the size in bytes, not in characters', async () => {
    const response = await team.editor.api.post(rows, { values: { t: 'ä'.repeat(600_000) } });
    expectFailure(response, 'payload_too_large', ['values too_large']);
  });

  it('returns 415 for a body that is not JSON', async () => {
    const csv = { 'content-type': 'text/csv' };
    expectFailure(await team.editor.api.post(rows, 'n\n1', csv), 'unsupported_media_type');
  });
});
