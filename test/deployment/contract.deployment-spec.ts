import { expectFailure } from '../support/failure';
import { NO_ID, UUID_V7 } from '../support/fixture';
import { apiOf, origin, variable, withKey } from './support/deployment';

const api = apiOf('own');

describe('an API key', () => {
  it('is described by /me with its role and limits', async () => {
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
    ['no key', undefined],
    ['an unknown key', `mk_${'A'.repeat(36)}`],
    ['a malformed key', 'key'],
  ])('is required: %s returns 401', async (_, key) => {
    const response = await withKey(key).get('/me');
    expectFailure(response, 'unauthenticated');
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('is not accepted in a query parameter', async () => {
    const response = await withKey().get(`/me?key=${variable('E2E_API_KEY')}`);
    expectFailure(response, 'unauthenticated');
  });
});

describe('the error format', () => {
  it('is used with 404 for an unknown resource or route', async () => {
    expectFailure(await api.get(`/workspaces/${NO_ID}`), 'not_found');
    expectFailure(await api.get('/nothing'), 'not_found');
  });

  it('is used with 405 and Allow for a method that the route does not have', async () => {
    const response = await api.put('/workspaces', {});
    expectFailure(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('is used with 400 for unknown properties, unknown parameters and malformed JSON', async () => {
    expectFailure(await api.post('/workspaces', { name: 'a', nmae: 'a' }), 'invalid_request', [
      'nmae unknown_property',
    ]);
    expectFailure(await api.get('/workspaces?pages=1'), 'invalid_request', [
      'pages unknown_parameter',
    ]);
    expect((await api.post('/workspaces', '{"name":')).status).toBe(400);
  });

  it('is used with 415 for a body that is not JSON', async () => {
    const response = await api.post('/workspaces', 'name=a', { 'content-type': 'text/plain' });
    expectFailure(response, 'unsupported_media_type');
  });

  it('contains the X-Request-Id of the request, or another one if that is invalid', async () => {
    const id = 'e2e-request.1';
    const response = await api.get('/nothing', { 'x-request-id': id });
    expect(response.headers.get('x-request-id')).toBe(id);
    expect(response.body.error.requestId).toBe(id);
    const hostile = await api.get('/nothing', { 'x-request-id': '<script>' });
    expect(hostile.headers.get('x-request-id')).toMatch(/^[\w.-]{1,64}$/);
  });
});

describe('the deployment', () => {
  it('allows no other origin in browsers, and does not name its software', async () => {
    const { headers } = await api.get('/me', { origin: 'https://example.com' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('serves its API description', async () => {
    const { status, body } = await withKey().get('/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\./);
    expect(Object.keys(body.paths)).toContain('/api/v1/public/datagrids/{datagridId}/rows');
  });

  it('is ready if it publishes its health', async () => {
    // A deployment may not publish the health routes.
    const { status } = await fetch(`${origin()}/health/ready`);
    expect([200, 403, 404]).toContain(status);
  });
});
