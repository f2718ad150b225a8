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
  app = await TestApp.start();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, columns)}/rows`;
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/rows with { values }', () => {
  describe('201', () => {
    it.each(['owner', 'admin', 'editor'] as const)('gives %s the created row', async (role) => {
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
    });

    it('takes null for no value, and no values at all', async () => {
      const cleared = dataOf(await team.editor.api.post(rows, { values: { n: null } }), 201);
      const empty = dataOf(await team.editor.api.post(rows, { values: {} }), 201);
      expect([cleared.values, empty.values]).toEqual([{}, {}]);
      expect(empty.id - cleared.id).toBe(1);
    });

    it('is for a client that asks before it sends the body, too', async () => {
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

    it('takes a row of just 1 MB', async () => {
      const t = 'x'.repeat(1024 * 1024 - '{"t":""}'.length);
      const { id } = dataOf(await team.editor.api.post(rows, { values: { t } }), 201);
      expect((await team.viewer.api.get(`${rows}/${id}`)).body.data.values.t).toBe(t);
    });
  });

  describe('400', () => {
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
        'a column that every object inherits',
        '{"values":{"toString":1}}',
        'values.toString unknown_column',
      ],
      ['a key twice', '{"values":{"n":1,"n":2}}', 'values.n duplicate_key'],
      ['text that is not JSON', '{"values":{"n":01}}', 'body malformed_json'],
      ['rows beside values', '{"rows":[],"values":{}}', 'values unknown_property'],
    ])('refuses %s', async (_, body, detail) => {
      expectFailure(await team.editor.api.post(rows, body), 'invalid_request', [detail]);
    });

    it('names every bad value at once', async () => {
      const answer = await team.editor.api.post(rows, { values: { n: 'x', t: 1, u: 1 } });
      expectFailure(answer, 'invalid_request', [
        'values.n wrong_type',
        'values.t wrong_type',
        'values.u unknown_column',
      ]);
    });

    it('takes no parameters', async () => {
      const answer = await team.editor.api.post(`${rows}?upsert=n`, { values: {} });
      expectFailure(answer, 'invalid_request', ['upsert unknown_parameter']);
    });

    it('wants a value in each required column', async () => {
      const own = await newDatagrid(team.owner.api, [
        { key: 'a', type: 'text', required: true },
        { key: 'b', type: 'boolean', required: true },
        { key: 'c', type: 'text' },
      ]);
      const answer = await team.editor.api.post(`${own}/rows`, { values: { b: null, c: 'x' } });
      expectFailure(answer, 'invalid_request', ['values.a required', 'values.b required']);
      const { status } = await team.editor.api.post(`${own}/rows`, { values: { a: '', b: false } });
      expect(status).toBe(201);
    });
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().post(rows, { values: {} }), 'unauthenticated');
  });

  it('403: is not for viewers', async () => {
    expectFailure(await team.viewer.api.post(rows, { values: {} }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('404: finds no datagrid %s', async (id) => {
    const answer = await team.owner.api.post(`/datagrids/${id}/rows`, { values: {} });
    expectFailure(answer, 'not_found');
  });

  describe('413', () => {
    it('refuses a row larger than 1 MB, by a byte', async () => {
      const before = (await team.viewer.api.get(rows)).body.meta.total;
      const t = 'x'.repeat(1024 * 1024 - '{"t":""}'.length + 1);
      const answer = await team.editor.api.post(rows, { values: { t } });
      expectFailure(answer, 'payload_too_large', ['values too_large']);
      expect((await team.viewer.api.get(rows)).body.meta.total).toBe(before);
    });

    it('counts bytes, not characters', async () => {
      const answer = await team.editor.api.post(rows, { values: { t: 'ä'.repeat(600_000) } });
      expectFailure(answer, 'payload_too_large', ['values too_large']);
    });
  });

  it('415: wants JSON', async () => {
    const csv = { 'content-type': 'text/csv' };
    expectFailure(await team.editor.api.post(rows, 'n\n1', csv), 'unsupported_media_type');
  });
});
