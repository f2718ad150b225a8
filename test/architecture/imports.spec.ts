import { IMPORTS, SOURCE_FILES, folderOf, importsThat, isOwn, type Import } from './source-files';

/**
 * Folders that each folder may import besides itself. Files in unlisted folders may import all of
 * them.
 */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  common: [],
  'embedded-postgres': [],
  // Calls the service only over HTTP.
  client: ['common'],
  platform: ['common', 'embedded-postgres'],
  auth: ['common', 'platform'],
  scim: ['common', 'platform', 'auth'],
  workspaces: ['common', 'platform', 'auth'],
  datagrids: ['common', 'platform', 'auth', 'workspaces'],
  trash: ['common', 'platform', 'auth', 'workspaces', 'datagrids'],
  rows: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'trash'],
  views: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  history: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  imports: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  exports: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  webhooks: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  changes: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows'],
  destinations: ['common', 'platform'],
  columnar: ['common', 'platform', 'datagrids', 'rows', 'destinations'],
  connections: [
    'common',
    'platform',
    'auth',
    'workspaces',
    'datagrids',
    'rows',
    'changes',
    'destinations',
  ],
  'scheduled-imports': [
    'common',
    'platform',
    'auth',
    'workspaces',
    'datagrids',
    'rows',
    'imports',
    'destinations',
    'connections',
  ],
  mcp: ['common', 'platform', 'auth', 'datagrids', 'rows'],
  verification: ['common', 'platform', 'datagrids', 'rows'],
  'console-api': ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows', 'views', 'scim'],
  demo: ['common', 'platform', 'auth', 'workspaces', 'datagrids', 'rows', 'trash'],
};

const isController = (path: string): boolean => path.endsWith('.controller.ts');

describe('imports between source files', () => {
  it('resolve to source files', () => {
    expect(importsThat((edge) => edge.to.endsWith('.ts') && !isOwn(edge))).toEqual([]);
    expect(IMPORTS.filter(isOwn).length).toBeGreaterThan(200);
  });

  it('go one way: scheduled imports, connections, destinations, imports, exports, changes, webhooks, views and history, rows, trash, datagrids, workspaces, auth, platform, common', () => {
    const wrong = importsThat((edge) => {
      const [from, to] = [folderOf(edge.from), folderOf(edge.to)];
      return isOwn(edge) && from in MAY_USE && from !== to && !MAY_USE[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('reach the console only from the composition root', () => {
    const wrong = importsThat(
      ({ from, to }) => to.startsWith('console-api/') && !/^(console-api|cli)\/|^[^/]+$/.test(from),
    );
    expect(wrong).toEqual([]);
  });

  it('form no cycle', () => {
    expect(circles(IMPORTS.filter(isOwn))).toEqual([]);
  });

  it('form no cycle between the folders of the platform', () => {
    const part = (path: string): string => path.split('/').slice(0, 2).join('/');
    const edges = IMPORTS.map(({ from, to }) => ({ from: part(from), to: part(to) })).filter(
      ({ from, to }) => [from, to].every((path) => path.startsWith('platform/')) && from !== to,
    );
    expect(new Set(edges.map(({ from }) => from)).size).toBeGreaterThan(10);
    expect(circles(edges)).toEqual([]);
  });

  it('add no input or output to common', () => {
    const isWrong = /^(node:(?!buffer$)|typeorm|pg$|express$|@nestjs\/)/;
    const wrong = importsThat(
      ({ from, to }) =>
        folderOf(from) === 'common' &&
        isWrong.test(to) &&
        // A type of a request.
        `${from} ${to}` !== 'common/caller/app-request.ts express',
    );
    expect(wrong).toEqual([]);
  });

  it('lead from a controller to its own services, not to repositories, entities or neighbours', () => {
    const wrong = importsThat(
      ({ from, to }) =>
        isController(from) &&
        (/\.(repository|entity|module)\.ts$/.test(to) ||
          (/^(auth|workspaces|datagrids|trash|rows|imports|exports|webhooks|changes|connections|console-api)\//.test(
            to,
          ) &&
            folderOf(to) !== folderOf(from))),
    );
    expect(wrong).toEqual([]);
  });

  it('use TypeORM and pg only in repositories, entities, the database platform and commands', () => {
    const mayUse =
      /\.(repository|entity)\.ts$|^(platform\/database|embedded-postgres)\/|^cli\/|^entity-list\.ts$/;
    const wrong = importsThat(
      ({ from, to }) => ['typeorm', 'pg', '@nestjs/typeorm'].includes(to) && !mayUse.test(from),
    );
    expect(wrong).toEqual([]);
  });

  it('load OpenTelemetry in one file, which is loaded only if traces are exported', () => {
    const tracer = 'platform/tracing/open-telemetry.ts';
    const used = importsThat(({ to }) => to.startsWith('@opentelemetry/'));
    expect(used.length).toBeGreaterThan(3);
    const others = importsThat(
      ({ from, to }) => to.startsWith('@opentelemetry/') && from !== tracer,
    );
    expect(others).toEqual([]);
    const opener = SOURCE_FILES.find(({ path }) => path === 'platform/tracing/tracing.module.ts');
    expect(opener?.text).toContain("await import('./open-telemetry.js')");
    const loaders = importsThat(({ to }) => to === tracer);
    expect(loaders).toEqual([`${opener?.path ?? ''} imports ${tracer}`]);
  });

  it('never go through a barrel', () => {
    expect(SOURCE_FILES.filter(({ path }) => /(^|\/)index\.ts$/.test(path))).toEqual([]);
  });
});

describe('source files', () => {
  it('contain SQL only in repositories, *-sql.ts files, the database platform and commands', () => {
    const mayHold = /\.repository\.ts$|-sql\.ts$|^(platform\/database|embedded-postgres)\/|^cli\//;
    const sql =
      /[`'"]\s*(SELECT\s|INSERT INTO\s|UPDATE\s+\w+\s+SET\s|DELETE FROM\s|WITH\s+\w+\s+AS\s)/;
    const wrong = SOURCE_FILES.filter(({ path, text }) => sql.test(text) && !mayHold.test(path));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('need no forwardRef', () => {
    const wrong = SOURCE_FILES.filter(({ text }) => text.includes('forwardRef'));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

/** Returns the files or folders that are part of an import cycle. */
function circles(edges: readonly Import[]): string[] {
  const uses = new Map<string, string[]>();
  for (const { from, to } of edges) uses.set(from, [...(uses.get(from) ?? []), to]);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const queue = [...(uses.get(start) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(uses.get(next) ?? []));
    }
    return seen;
  };
  return [...uses.keys()].filter((start) => reachable(start).has(start));
}
