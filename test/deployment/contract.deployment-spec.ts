import { expectFailure } from '../support/failure';
import { NO_ID, UUID_V7 } from '../support/fixture';
import { apiOf, origin, variable, withKey } from './support/deployment';

const api = apiOf('own');

describe('a key', () => {
  it('is known, with its role and limits', async () => {
    const { status, body, headers } = await api.get('/me');
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    expect(body.data).toMatchObject({
      key: { id: expect.stringMatching(UUID_V7) },
      account: { id: expect.stringMatching(UUID_V7) },
      role: expect.stringMatching(/^(admin|owner)$/),
    });
    const { requests, windowSeconds } = body.data.limits as Record<string, number>;
    const policy = `"default";q=${String(requests)};w=${String(windowSeconds)}`;
    expect(headers.get('ratelimit-policy')).toBe(policy);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
  });

  it.each([
    ['none', undefined],
    ['one that nobody has', `mk_${'A'.repeat(36)}`],
    ['something else', 'key'],
  ])('is asked for: %s is 401', async (_, key) => {
    const answer = await withKey(key).get('/me');
    expectFailure(answer, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('is not looked for in the query', async () => {
    const answer = await withKey().get(`/me?key=${variable('E2E_API_KEY')}`);
    expectFailure(answer, 'unauthenticated');
  });
});

describe('a failure', () => {
  it('is 404 in the one shape, for what there is not', async () => {
    expectFailure(await api.get(`/workspaces/${NO_ID}`), 'not_found');
    expectFailure(await api.get('/nothing'), 'not_found');
  });

  it('is 405 with Allow, for a method that is not there', async () => {
    const answer = await api.put('/workspaces', {});
    expectFailure(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('is 400 naming the member, the parameter or the text', async () => {
    expectFailure(await api.post('/workspaces', { name: 'a', nmae: 'a' }), 'invalid_request', [
      'nmae unknown_property',
    ]);
    expectFailure(await api.get('/workspaces?pages=1'), 'invalid_request', [
      'pages unknown_parameter',
    ]);
    expect((await api.post('/workspaces', '{"name":')).status).toBe(400);
  });

  it('is 415 for a body that is no JSON', async () => {
    const answer = await api.post('/workspaces', 'name=a', { 'content-type': 'text/plain' });
    expectFailure(answer, 'unsupported_media_type');
  });

  it('carries the request id that was sent, and another where that is hostile', async () => {
    const id = 'e2e-request.1';
    const answer = await api.get('/nothing', { 'x-request-id': id });
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(answer.body.error.requestId).toBe(id);
    const hostile = await api.get('/nothing', { 'x-request-id': '<script>' });
    expect(hostile.headers.get('x-request-id')).toMatch(/^[\w.-]{1,64}$/);
  });
});

describe('the deployment', () => {
  it('grants nothing to browsers, and names no software', async () => {
    const { headers } = await api.get('/me', { origin: 'https://example.com' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('describes itself', async () => {
    const { status, body } = await withKey().get('/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\./);
    expect(Object.keys(body.paths)).toContain('/api/v1/public/datagrids/{datagridId}/rows');
  });

  it('is ready', async () => {
    // Where health is not led outside, there is nothing to ask.
    const { status } = await fetch(`${origin()}/health/ready`);
    expect([200, 403, 404]).toContain(status);
  });
});
