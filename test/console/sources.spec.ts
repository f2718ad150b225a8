import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../console/src');

const files = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  })
  .sort((a, b) => a.lines - b.lines);

const sizeOf = (share: number): number => files[Math.ceil(files.length * share) - 1]?.lines ?? 0;

const imports = files.flatMap(({ path, text }) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({
    from: path,
    to: fileName.startsWith('.') ? posix.join(posix.dirname(path), fileName) : fileName,
    isOwn: fileName.startsWith('.'),
  })),
);

type Edge = (typeof imports)[number];

const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : '';

/** Shared folders, and the folders that each of them may import. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  api: ['text'],
  theme: ['text'],
  text: [],
  common: ['api', 'text'],
  list: ['api', 'common', 'text'],
  session: ['api', 'common', 'shell', 'text'],
  shell: ['api', 'common', 'session', 'text'],
};

/** Pages that may import other pages. A page in neither table may import none. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  users: ['profile'],
  applications: ['profile'],
  profile: ['applications'],
  security: ['applications'],
  workspaces: ['datagrids', 'profile', 'sql'],
  sql: ['workspaces', 'datagrids', 'grid'],
  datagrids: ['grid'],
  grid: ['workspaces', 'datagrids'],
};

function isAllowed({ from, to }: Edge): boolean {
  const [own, other] = [folderOf(from), folderOf(to)];
  // Files outside folders may import all pages.
  if (own === '' || own === other || other === '') return true;
  // Tests may compare a page with the service's own list.
  if (other === '..') return from.includes('.spec.') || own === 'datagrids';
  return (
    SHARED[own]?.includes(other) ?? (other in SHARED || NEIGHBOURS[own]?.includes(other) === true)
  );
}

/** Files of the service that the console may use: its reader of CSV, and what that uses. */
const READER = /^src\/(imports\/read|rows\/values\/delimiter|common\/(encoding|error|text))\b/;

/** Files and packages outside the console that its pages load, with what they load in turn. */
function loadedOutside(): ReadonlyMap<string, string> {
  const root = join(__dirname, '../..');
  const loaded = new Map<string, string>();
  const queue = imports
    .filter(({ from, to }) => to.startsWith('../') && !from.includes('.spec.'))
    .map(({ to }) => posix.join('console/src', to));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (loaded.has(next)) continue;
    const text = readFileSync(join(root, `${next}.ts`), 'utf8');
    loaded.set(next, text);
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (fileName.startsWith('.')) queue.push(posix.join(posix.dirname(next), fileName));
      else loaded.set(fileName, '');
    }
  }
  return loaded;
}

/** Rooms of the grid. Each may import those before it, and the files of the page all of them. */
const ROOMS = ['cells', 'data', 'query', 'table', 'views', 'trash', 'editing', 'row', 'toolbar'];

/** Returns the place of a file's room; that of the page if it is in none; -1 outside of the grid. */
function roomOf(path: string): number {
  const [page, room = ''] = path.split('/');
  if (page !== 'grid') return -1;
  return ROOMS.includes(room) ? ROOMS.indexOf(room) : ROOMS.length;
}

const withoutEnding = (path: string): string => path.replace(/\.tsx?$/, '');

const importsThat = (isWrong: (edge: Edge) => boolean): string[] =>
  imports.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);

describe('the sources of the console', () => {
  it('have a median under 70 lines, a 95th percentile under 200 and a maximum of 300', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(sizeOf(0.5)).toBeLessThan(70);
    expect(sizeOf(0.95)).toBeLessThan(200);
    expect(files.filter(({ lines }) => lines > 300).map(({ path }) => path)).toEqual([]);
  });

  it('use the grid library only in the page of the grid and for results of SQL', () => {
    expect(
      importsThat(({ from, to }) => to.startsWith('ag-grid') && !/^(grid|sql)\//.test(from)),
    ).toEqual([]);
  });

  it('call the server only through the API client', () => {
    // Prints example programs, which contain such calls.
    const isSpeaker = (path: string): boolean =>
      path.startsWith('api/') || path === 'datagrids/api-panel/typescript.ts';
    const wrong = files.filter(
      ({ path, text }) => !isSpeaker(path) && /\bfetch\(|XMLHttpRequest/.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('import no page from shared code and no other page from a page', () => {
    expect(imports.filter(({ isOwn }) => isOwn).length).toBeGreaterThan(100);
    expect(importsThat((edge) => edge.isOwn && !isAllowed(edge))).toEqual([]);
  });

  it('import one way between the rooms of the grid', () => {
    const rooms = files.map(({ path }) => roomOf(path));
    expect([...new Set(rooms)].filter((room) => room >= 0).length).toBe(ROOMS.length + 1);
    const isWrong = ({ from, to }: Edge): boolean => roomOf(from) >= 0 && roomOf(to) > roomOf(from);
    expect(importsThat((edge) => edge.isOwn && isWrong(edge))).toEqual([]);
  });

  it('use of the service only its reader of CSV, which runs without Node.js', () => {
    const loaded = [...loadedOutside()];
    expect(loaded.map(([name]) => name)).toContain('src/imports/read/csv-reader');
    const isWrong = ([name, text]: readonly [string, string]): boolean =>
      text === '' ? name !== 'uuid' : !READER.test(name) || /\b(Buffer|process)\b/.test(text);
    expect(loaded.filter(isWrong).map(([name]) => name)).toEqual([]);
  });

  it('import in no cycle', () => {
    const uses = new Map<string, string[]>();
    for (const { from, to, isOwn } of imports) {
      if (isOwn) uses.set(withoutEnding(from), [...(uses.get(withoutEnding(from)) ?? []), to]);
    }
    const reachable = (start: string): Set<string> => {
      const seen = new Set<string>();
      const queue = [...(uses.get(start) ?? [])];
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (!seen.has(next)) queue.push(...(uses.get(next) ?? []));
        seen.add(next);
      }
      return seen;
    };
    expect([...uses.keys()].filter((file) => reachable(file).has(file))).toEqual([]);
  });
});
