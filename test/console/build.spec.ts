import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const DIST = join(__dirname, '../../dist/console');
if (!existsSync(DIST)) throw new Error(`${DIST} is missing: run \`npm run build\` first.`);
const BUDGET_BYTES = 270_000;

const read = (path: string): string => readFileSync(join(DIST, path), 'utf8');

/** Returns the number of bytes sent for a file: its compressed size if it is compressed. */
function sizeOf(path: string): number {
  const compressed = join(DIST, `${path}.br`);
  return readFileSync(existsSync(compressed) ? compressed : join(DIST, path)).length;
}

const assets = readdirSync(join(DIST, 'assets')).map((name) => `assets/${name}`);
const scripts = assets.filter((path) => path.endsWith('.js'));

const html = read('index.html');
const entries = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, path = '']) => path);

/** Returns the files that `path` imports directly or indirectly, without dynamic imports. */
function staticGraph(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!path.endsWith('.js')) return seen;
  for (const [, name = ''] of read(path).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
    staticGraph(`assets/${name}`, seen);
  }
  return seen;
}

/** Returns the script and the styles of a page, by the name of its source file. */
const chunksOf = (name: string): string[] =>
  assets.filter((path) => new RegExp(`/${name}-[\\w-]{8}\\.(js|css)$`).test(path));

const isGridLibrary = (path: string): boolean => read(path).includes('ag-root-wrapper');

describe('the built console', () => {
  it('transfers less than 270 kB for its first load', () => {
    expect(entries.length).toBeGreaterThan(2);
    const files = new Set(entries.flatMap((path) => [...staticGraph(path)]));
    const pages = ['sign-in-page', 'profile-page', 'workspace-routes'];
    for (const page of pages) {
      expect(chunksOf(page).length).toBeGreaterThan(0);
      for (const chunk of chunksOf(page)) staticGraph(chunk, files);
    }
    const total = [...files].reduce((sum, path) => sum + sizeOf(path), sizeOf('index.html'));
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(BUDGET_BYTES);
  });

  it('loads the grid only with the page of the grid and with that of SQL', () => {
    const holders = scripts.filter(isGridLibrary);
    expect(holders.length).toBeGreaterThan(0);
    const before = new Set(
      [...entries, ...scripts.filter((path) => /-(page|routes)-/.test(path))]
        .filter((path) => !/\/(grid|sql)-page-/.test(path))
        .flatMap((path) => [...staticGraph(path)]),
    );
    expect(holders.filter((path) => before.has(path))).toEqual([]);
  });

  it('requests nothing from another origin', () => {
    expect(html).not.toMatch(/(?:src|href)="(?!\/[^/])/);
    const styles = assets.filter((path) => path.endsWith('.css'));
    for (const path of styles) expect(read(path)).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//);
    const loads =
      /(?:fetch|import|Worker|EventSource|WebSocket)\(\s*["'`](?:https?|wss?):|src\s*[:=]\s*["'`]https?:/;
    for (const path of scripts) expect(read(path)).not.toMatch(loads);
  });

  it('contains no inline script, no style without the placeholder for the CSP nonce, and the placeholder itself', () => {
    expect(html).not.toMatch(
      /<style(?! nonce="__CSP_NONCE__">)|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/,
    );
    expect(html).toContain('<meta name="csp-nonce" content="__CSP_NONCE__" />');
  });

  it('has a skeleton that the browser paints before it has the stylesheets', () => {
    const stylesheet = html.indexOf('<link rel="stylesheet"');
    expect(stylesheet).toBeGreaterThan(html.indexOf('class="boot-header"'));
    expect(html.lastIndexOf('class="boot-line"')).toBeLessThan(stylesheet);
  });

  it('evaluates no code from strings, which the CSP forbids', () => {
    const making = /\beval\(|new Function\(/;
    expect(scripts.filter((path) => making.test(read(path)))).toEqual([]);
  });

  it('has every larger asset in brotli and gzip with the same content', () => {
    const large = assets.filter(
      (path) => /\.(js|css|svg)$/.test(path) && readFileSync(join(DIST, path)).length >= 1_024,
    );
    expect(large.length).toBeGreaterThan(3);
    for (const path of large) {
      const plain = read(path);
      expect(brotliDecompressSync(readFileSync(join(DIST, `${path}.br`))).toString()).toBe(plain);
      expect(gunzipSync(readFileSync(join(DIST, `${path}.gz`))).toString()).toBe(plain);
    }
  });
});
