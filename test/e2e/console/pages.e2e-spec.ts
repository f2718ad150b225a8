import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ConsoleFiles } from '../../../src/console-api/page/console-files';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))});\n`;
const PAGE =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__" /><style nonce="__CSP_NONCE__"></style><script type="module" src="/assets/main-1a2b.js"></script>';

let app: TestApp;
let browser: ApiClient;
let directory: string;

/** Writes the files of a small console, as a build does. */
beforeAll(async () => {
  app = await TestApp.shared();
  browser = new ApiClient(app.origin, undefined, '');
  directory = await mkdtemp(join(tmpdir(), 'datagrid-console-'));
  await mkdir(join(directory, 'assets'));
  const files = {
    'index.html': PAGE,
    'secret.txt': 'not for browsers',
    'assets/main-1a2b.js': SCRIPT,
    'assets/main-1a2b.js.br': brotliCompressSync(SCRIPT),
    'assets/main-1a2b.js.gz': gzipSync(SCRIPT),
    'assets/logo-3c4d.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/notes.map': '{}',
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, name), content);
  }
});

afterAll(async () => {
  await rm(directory, { recursive: true });
  await app.close();
});

describe('a console that has not been built', () => {
  it('returns 503 and names the command that builds it', async () => {
    await app.nest.get(ConsoleFiles).readFrom(join(directory, 'nowhere'));
    const response = await browser.get('/');
    expectFailure(response, 'unavailable');
    expect(response.body.error.message).toBe(
      'The console is not built. Run npm run console:build.',
    );
    expectFailure(await browser.get('/assets/main-1a2b.js'), 'not_found');
    expect((await browser.get('/health/ready')).status).toBe(200);
  });
});

describe('a page of the console', () => {
  beforeAll(async () => {
    await app.nest.get(ConsoleFiles).readFrom(directory);
  });

  it.each([
    '/',
    '/?from=mail',
    '/sign-in?next=%2Fprofile',
    '/invite/AbC-_9',
    '/profile',
    '/profile/keys',
    '/users',
    '/security',
    '/requests?status=4xx',
    '/webhooks',
    '/connections',
    '/workspaces',
    '/workspaces/019aa2f4-0000-7000-8000-000000000000/datagrids',
    '/datagrids/019aa2f4-0000-7000-8000-000000000000/rows?filter=x',
  ])('returns the same document with a new nonce for each request: %s', async (path) => {
    const responses = [await browser.get(path), await browser.get(path)];
    const nonces = responses.map((response) => {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      const [, nonce = ''] = /content="([\w+/]{22}==)"/.exec(response.text) ?? [];
      expect(response.text).toBe(PAGE.replaceAll('__CSP_NONCE__', nonce));
      expect((response.headers.get('content-security-policy') ?? '').split(';')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ]);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it.each([
    '/nowhere',
    '/index.html',
    '/secret.txt',
    '/Profile',
    '/datagrids',
    '/sign-in/x/y',
    '/assets',
    '/assets/nothing.js',
    '/assets/notes.map',
    '/assets/main-1a2b.js.br',
    '/favicon.ico',
  ])('returns 404 for an unknown path: %s', async (path) => {
    expectFailure(await browser.get(path), 'not_found');
  });

  it('is returned with status 404 for an unknown path if a browser navigates to it', async () => {
    const accept = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const response = await browser.get('/nonsense', accept);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.text).toContain('/assets/main-1a2b.js');
    expectFailure(await browser.get('/nonsense', { Accept: '*/*' }), 'not_found');
    expectFailure(await browser.get('/nonsense', { Accept: 'application/json' }), 'not_found');
    expectFailure(await browser.send('POST', '/nonsense', undefined, accept), 'not_found');
    expectFailure(await browser.get('/api/v1/public/nonsense', accept), 'unauthenticated');
  });

  it.each(['/assets/../secret.txt', '/assets/..%2fsecret.txt', '/assets/%2e%2e%2fsecret.txt'])(
    'exposes no file outside of its directory: %s',
    async (path) => {
      const response = await sendRaw(app.port, rawRequest([`GET ${path} HTTP/1.1`, 'Host: x']));
      expectFailure(response, 'not_found');
    },
  );

  it('returns 405 for a method other than GET and HEAD', async () => {
    for (const path of ['/', '/users', '/assets/main-1a2b.js']) {
      const response = await browser.post(path, {});
      expectFailure(response, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      const head = await browser.send('HEAD', path);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(50);
    }
  });
});

describe('an asset of the console', () => {
  const path = '/assets/main-1a2b.js';
  const get = (headers: Record<string, string>): Promise<ApiResponse> => browser.get(path, headers);

  beforeAll(async () => {
    await app.nest.get(ConsoleFiles).readFrom(directory);
  });

  it.each([
    ['br, gzip', 'br', brotliCompressSync(SCRIPT).length],
    ['gzip', 'gzip', gzipSync(SCRIPT).length],
    ['identity', null, SCRIPT.length],
    ['br;q=0, gzip;q=0', null, SCRIPT.length],
    ['br;q=0.5, gzip', 'gzip', gzipSync(SCRIPT).length],
    ['gzip, br', 'br', brotliCompressSync(SCRIPT).length],
    ['zstd, br', 'br', brotliCompressSync(SCRIPT).length],
    ['identity, gzip;q=0.1', null, SCRIPT.length],
  ])(
    'returns the precompressed file of the preferred encoding: %s',
    async (accepted, encoding, length) => {
      const response = await get({ 'accept-encoding': accepted });
      expect(response.status).toBe(200);
      expect(response.text).toBe(SCRIPT);
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('content-length')).toBe(String(length));
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
    },
  );

  it('returns 304 for a matching If-None-Match', async () => {
    const etag = (await get({})).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    const known = await get({ 'if-none-match': etag });
    expect([known.status, known.text]).toEqual([304, '']);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('has the content type of its file extension', async () => {
    const response = await browser.get('/assets/logo-3c4d.svg');
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
  });
});
