import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API } from '../support/api-client';
import { TestApp, type Member } from '../support/test-app';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

describe('GET /openapi.json', () => {
  it('returns the document without a key', async () => {
    const { status, headers, body } = await app.api().get('/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    // Descriptions from comments are missing here, because the compiler plugin does not run under jest.
    const committed = JSON.parse(
      readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'),
    ) as object;
    expect(Object.keys(body as object)).toEqual(Object.keys(committed));
    expect(Object.keys(body.paths as object)).toEqual(
      Object.keys((committed as { paths: object }).paths),
    );
  });

  it('returns 304 if the ETag matches', async () => {
    const { headers } = await app.api().get('/openapi.json');
    const again = await app.api().get('/openapi.json', {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
  });

  it('returns 405 for other methods', async () => {
    const { status, headers } = await owner.api.post('/openapi.json', {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('GET /docs', () => {
  interface Fetched {
    readonly status: number;
    readonly headers: Headers;
    readonly text: string;
  }

  /** Fetches a page and reads its body to the end. An unread body would keep the service from closing. */
  async function page(path: string): Promise<Fetched> {
    const response = await fetch(`${app.origin}${path}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('returns a page whose policy allows only its own assets', async () => {
    const response = await page('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const assets = [...response.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, url = '']) => url,
    );
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      // The brand and the sign-in lead to the console, and two links to the pages themselves.
      if (['/', '/sign-in', '/docs', '/docs/guides'].includes(asset)) continue;
      expect(asset).toMatch(/^\/docs\//);
      const { status, headers } = await page(asset);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
    }
  });

  it('names the API that its script calls', async () => {
    const { text } = await page('/docs');
    expect(text).toContain(`data-api="${API}" data-console-api="/console/api"`);
    expect(text).toContain('<title>API reference · Datagrids</title>');
    const script = await page('/docs/page.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each(['swagger-ui-bundle.js', 'swagger-ui.css'])(
    'returns %s compressed, and 304 if the ETag matches',
    async (name) => {
      const url = `${app.origin}/docs/${name}`;
      const file = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      const text = await file.text();
      expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(Number(file.headers.get('content-length'))).toBeLessThan(text.length / 3);
      const etag = file.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{27}\.gzip"$/);
      const again = await fetch(url, {
        headers: { 'accept-encoding': 'gzip', 'if-none-match': etag },
      });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  it('returns 405 for other methods', async () => {
    const response = await fetch(`${app.origin}/docs`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    await response.text();
  });

  it('returns 404 in the error format for a missing file', async () => {
    const response = await page('/docs/nothing');
    expect(response.status).toBe(404);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('GET /docs/guides', () => {
  async function guide(path: string): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await fetch(`${app.origin}/docs/guides${path}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  const linksIn = (text: string): string[] =>
    [...text.matchAll(/<a href="([^"]+)"/g)].map(([, url = '']) => url);

  it('returns every guide, and each link between them leads to an existing heading', async () => {
    const index = await guide('');
    expect([index.status, index.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(index.headers.get('content-security-policy')).toContain("default-src 'none'");
    const found = new Map([['/docs/guides', index.text]]);
    for (const page of found.values()) {
      for (const link of linksIn(page)) {
        const [url = ''] = link.split('#');
        if (!url.startsWith('/docs/guides') || found.has(url)) continue;
        const { status, text } = await guide(url.slice('/docs/guides'.length));
        expect([url, status]).toEqual([url, 200]);
        found.set(url, text);
      }
    }
    const missing = [...found].flatMap(([own, page]) =>
      linksIn(page).filter((link) => {
        const [url = '', anchor] = link.split('#');
        const text = found.get(url === '' ? own : url);
        return anchor !== undefined && text !== undefined && !text.includes(`id="${anchor}"`);
      }),
    );
    expect(missing).toEqual([]);
    const folders = ['api', 'connections'].flatMap((folder) =>
      readdirSync(join(__dirname, '../../docs', folder)).map((file) => `${folder}/${file}`),
    );
    const expected = folders
      .filter((path) => path !== 'api/README.md')
      .map((path) => `/docs/guides/${path.slice(0, -'.md'.length)}`);
    expect([...found.keys()]).toEqual(expect.arrayContaining(expected));
    expect(found.size).toBe(expected.length + 8);
  });

  it('escapes code, renders tables, and makes text of links to pages that it does not serve', async () => {
    const { text } = await guide('/api/connections');
    expect(text).toContain('<title>Connections · Datagrids</title>');
    expect(text).toContain('<table tabindex="0">');
    expect(text).not.toMatch(/<script|\.md[#"]|operations(?:\.md)?[#"]|style="/);
    expect((await guide('/connections/parquet')).text).toContain('arn:aws:s3:::&lt;bucket&gt;');
  });

  it.each(['/operations', '/api', '/api/nothing', '/adr/0001', '/..%2foperations'])(
    'returns 404 for %s',
    async (path) => {
      expect((await guide(path)).status).toBe(404);
    },
  );

  it('has a guide for every operation of the API', async () => {
    const { body } = await app.api().get('/openapi.json');
    const guides = new Set(
      Object.values(
        body.paths as Record<string, Record<string, { externalDocs?: { url: string } }>>,
      )
        .flatMap((item) => Object.values(item))
        .map(({ externalDocs }) => externalDocs?.url),
    );
    expect(guides.size).toBeGreaterThan(10);
    for (const url of guides) {
      expect((await fetch(`${app.origin}${url ?? ''}`)).status).toBe(200);
    }
  });
});
