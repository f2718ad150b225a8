import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const DIST = join(__dirname, '../../dist/console');
if (!existsSync(DIST)) throw new Error(`${DIST} is missing: run \`npm run build\` first.`);
const BUDGET_BYTES = 300_000;

const read = (path: string): string => readFileSync(join(DIST, path), 'utf8');

/** What goes over the wire for a file: its compressed form where there is one. */
function sizeOf(path: string): number {
  const compressed = join(DIST, `${path}.br`);
  return readFileSync(existsSync(compressed) ? compressed : join(DIST, path)).length;
}

const assets = readdirSync(join(DIST, 'assets')).map((name) => `assets/${name}`);
const scripts = assets.filter((path) => path.endsWith('.js'));

const html = read('index.html');
const entries = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, path = '']) => path);

/** Every file that `path` imports at once, with theirs: not what it loads when it is wanted. */
function staticGraph(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!path.endsWith('.js')) return seen;
  for (const [, name = ''] of read(path).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
    staticGraph(`assets/${name}`, seen);
  }
  return seen;
}

/** The chunk of a page, by the name of its file, with its styles. */
const chunksOf = (name: string): string[] =>
  assets.filter((path) => new RegExp(`/${name}-[\\w-]{8}\\.(js|css)$`).test(path));

const isGridLibrary = (path: string): boolean => read(path).includes('ag-root-wrapper');

describe('the built console', () => {
  it('needs less than 300 kB, compressed, for its first load', () => {
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

  it('loads the grid with the page of the grid, and with no other', () => {
    const holders = scripts.filter(isGridLibrary);
    expect(holders.length).toBeGreaterThan(0);
    const before = new Set(
      [...entries, ...scripts.filter((path) => /-(page|routes)-/.test(path))]
        .filter((path) => !path.includes('/grid-page-'))
        .flatMap((path) => [...staticGraph(path)]),
    );
    expect(holders.filter((path) => before.has(path))).toEqual([]);
  });

  it('asks no other origin for anything', () => {
    expect(html).not.toMatch(/(?:src|href)="(?!\/[^/])/);
    const styles = assets.filter((path) => path.endsWith('.css'));
    for (const path of styles) expect(read(path)).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//);
    const loads =
      /(?:fetch|import|Worker|EventSource|WebSocket)\(\s*["'`](?:https?|wss?):|src\s*[:=]\s*["'`]https?:/;
    for (const path of scripts) expect(read(path)).not.toMatch(loads);
  });

  it('has no script or style within its page, and a place for the nonce of the policy', () => {
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    expect(html).toContain('<meta name="csp-nonce" content="__CSP_NONCE__" />');
  });

  it('needs no code made from text, which the policy forbids', () => {
    const making = /\beval\(|new Function\(/;
    expect(scripts.filter((path) => making.test(read(path)))).toEqual([]);
  });

  it('lies beside every larger asset in brotli and gzip, the same', () => {
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
