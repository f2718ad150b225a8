import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

const OWN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idOf = ({ headers }: ApiResponse): string => headers.get('x-request-id') ?? '';

/** Returns the only log line of a request. */
async function lineOf(requestId: string): Promise<Record<string, unknown>> {
  const mine = (): Record<string, unknown>[] =>
    app.logs
      .map((entry) => JSON.parse(entry) as Record<string, unknown>)
      .filter((entry) => entry['requestId'] === requestId && entry['msg'] === 'request');
  await eventually(() => mine().length > 0);
  expect(mine()).toHaveLength(1);
  return mine()[0] ?? {};
}

describe('the request id', () => {
  it('is in the header, the body and the log, which describes the request', async () => {
    const failed = await owner.api.post('/workspaces?x=1', {});
    expect(idOf(failed)).toMatch(OWN);
    expect(failed.body.error.requestId).toBe(idOf(failed));
    expect(await lineOf(idOf(failed))).toEqual({
      level: 'info',
      time: expect.any(String),
      requestId: idOf(failed),
      method: 'POST',
      route: '/api/v1/public/workspaces',
      status: 400,
      durationMs: expect.any(Number),
      databaseMs: expect.any(Number),
      keyId: owner.keyId,
      accountId: owner.accountId,
      msg: 'request',
    });
  });

  it('is in the header of successful responses, of 204 and of 304, and is new each time', async () => {
    const created = await owner.api.post('/workspaces', { name: 'X' });
    const path = `/workspaces/${created.body.data.id}`;
    const read = await owner.api.get(path);
    const same = await owner.api.get(path, { 'if-none-match': read.headers.get('etag') ?? '' });
    const deleted = await owner.api.delete(path);
    const responses = [created, read, same, deleted];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 304, 204]);
    for (const response of responses) expect(idOf(response)).toMatch(OWN);
    expect(new Set(responses.map(idOf)).size).toBe(4);
    expect((await lineOf(idOf(deleted)))['status']).toBe(204);
  });

  it('is the one of the caller if that is harmless', async () => {
    for (const id of ['a', 'A-b_c.9', 'x'.repeat(64)]) {
      const response = await owner.api.get('/me', { 'x-request-id': id });
      expect(idOf(response)).toBe(id);
      expect((await lineOf(id))['status']).toBe(200);
    }
  });

  it.each([
    ['a space', 'a b'],
    ['65 characters', 'x'.repeat(65)],
    ['8 kB', 'x'.repeat(8_192)],
    ['markup', '<script>alert(1)</script>'],
    ['quotes', '"},"level":"fatal'],
    ['an escaped line', 'a%0d%0aSet-Cookie:b=c'],
    ['a backslash', 'a\\nb'],
    ['latin-1', 'caf\u00e9'],
    ['UTF-8', Buffer.from('é😀').toString('latin1')],
    ['a terminal’s escape', 'a\t[31m'],
    ['nothing', ''],
  ])('is not the one of the caller if that contains %s', async (_, hostile) => {
    const request = rawRequest([
      'GET /api/v1/public/nothing HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${owner.key}`,
      `X-Request-Id: ${hostile}`,
    ]);
    const response = await sendRaw(app.port, Buffer.from(request, 'latin1'));
    expect(response.status).toBe(404);
    expect(idOf(response)).toMatch(OWN);
    expect(response.body.error.requestId).toBe(idOf(response));
    expect((await lineOf(idOf(response)))['status']).toBe(404);
    if (hostile !== '') expect(app.logs.join('')).not.toContain(hostile);
  });

  it('cannot inject a header', async () => {
    const request = rawRequest([
      'GET /api/v1/public/me HTTP/1.1',
      'Host: localhost',
      'X-Request-Id: a\rSet-Cookie: b=c',
    ]);
    const response = await sendRaw(app.port, request);
    expect(response.status).toBe(400);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(idOf(response)).toMatch(OWN);
  });

  it('is not the one of the caller if that is sent twice', async () => {
    const request = rawRequest([
      'GET /health/live HTTP/1.1',
      'Host: localhost',
      'X-Request-Id: one',
      'X-Request-Id: two',
    ]);
    expect(idOf(await sendRaw(app.port, request))).toMatch(OWN);
  });
});
