import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ConsoleFiles } from '../../../src/console/page/console-files';
import { ApiClient, type Answer } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))});\n`;
const PAGE =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__" /><style nonce="__CSP_NONCE__"></style><script type="module" src="/assets/main-1a2b.js"></script>';

let app: TestApp;
let browser: ApiClient;
let directory: string;

/** A console as it is built, small enough to be told here. */
beforeAll(async () => {
  app = await TestApp.start();
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

describe('the console that is not built', () => {
  it('says so', async () => {
    await app.nest.get(ConsoleFiles).readFrom(join(directory, 'nowhere'));
    const answer = await browser.get('/');
    expectFailure(answer, 'unavailable');
    expect(answer.body.error.message).toBe('The console is not built. Run npm run console:build.');
    expectFailure(await browser.get('/assets/main-1a2b.js'), 'not_found');
    expect((await browser.get('/health/ready')).status).toBe(200);
  });
});

describe('the console’s pages', () => {
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
    '/workspaces',
    '/workspaces/019aa2f4-0000-7000-8000-000000000000/datagrids',
    '/datagrids/019aa2f4-0000-7000-8000-000000000000/rows?filter=x',
  ])('are one page, with a nonce of its own each time: %s', async (path) => {
    const answers = [await browser.get(path), await browser.get(path)];
    const nonces = answers.map((answer) => {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      const [, nonce = ''] = /content="([\w+/]{22}==)"/.exec(answer.text) ?? [];
      expect(answer.text).toBe(PAGE.replaceAll('__CSP_NONCE__', nonce));
      expect((answer.headers.get('content-security-policy') ?? '').split(';')).toEqual([
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
    '/sign-in/x',
    '/assets',
    '/assets/nothing.js',
    '/assets/notes.map',
    '/assets/main-1a2b.js.br',
    '/favicon.ico',
  ])('are no other: %s', async (path) => {
    expectFailure(await browser.get(path), 'not_found');
  });

  it.each(['/assets/../secret.txt', '/assets/..%2fsecret.txt', '/assets/%2e%2e%2fsecret.txt'])(
    'lead to no other file: %s',
    async (path) => {
      const answer = await sendRaw(app.port, rawRequest([`GET ${path} HTTP/1.1`, 'Host: x']));
      expectFailure(answer, 'not_found');
    },
  );

  it('can only be read', async () => {
    for (const path of ['/', '/users', '/assets/main-1a2b.js']) {
      const answer = await browser.post(path, {});
      expectFailure(answer, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      const head = await browser.send('HEAD', path);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(50);
    }
  });
});

describe('what the pages load', () => {
  const path = '/assets/main-1a2b.js';
  const get = (headers: Record<string, string>): Promise<Answer> => browser.get(path, headers);

  beforeAll(async () => {
    await app.nest.get(ConsoleFiles).readFrom(directory);
  });

  it.each([
    ['br, gzip', 'br', brotliCompressSync(SCRIPT).length],
    ['gzip', 'gzip', gzipSync(SCRIPT).length],
    ['identity', null, SCRIPT.length],
    ['br;q=0, gzip;q=0', null, SCRIPT.length],
  ])('comes as it was compressed beforehand: %s', async (accepted, encoding, length) => {
    const answer = await get({ 'accept-encoding': accepted });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(SCRIPT);
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('content-length')).toBe(String(length));
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  });

  it('is not sent to who has it', async () => {
    const etag = (await get({})).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    const known = await get({ 'if-none-match': etag });
    expect([known.status, known.text]).toEqual([304, '']);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('has the type of its name', async () => {
    const answer = await browser.get('/assets/logo-3c4d.svg');
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
  });
});
