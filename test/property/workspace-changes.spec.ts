import * as fc from 'fast-check';
import type { ApiClient, ApiResponse } from '../support/api-client';
import { ChangeReader, copyState, datagridState } from '../support/change-reader';
import { newDatagrid, newTeam, newWorkspace, type Team } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp } from '../support/test-app';
import { WorkspaceCopy } from '../support/workspace-copy';

const RUNS = sampleSize({ few: 10, all: 25 });
const COLUMNS = [{ key: 'n', type: 'integer' }];

/** A change of the datagrid at `target`, by one of the two instances. */
interface Write {
  readonly kind: 'create' | 'row' | 'update' | 'rename' | 'trash' | 'restore' | 'purge';
  readonly target: number;
  readonly instance: number;
}

const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom<Write['kind']>(
    'create',
    'row',
    'row',
    'row',
    'update',
    'rename',
    'trash',
    'restore',
    'purge',
  ),
  target: fc.nat({ max: 60 }),
  instance: fc.nat({ max: 1 }),
});

const run = fc.record({
  datagrids: fc.integer({ min: 0, max: 25 }),
  writers: fc.array(fc.array(write, { minLength: 5, maxLength: 25 }), {
    minLength: 2,
    maxLength: 4,
  }),
  readers: fc.array(
    fc.record({
      limit: fc.constantFrom(1, 2, 5, 100),
      wait: fc.constantFrom('', '&wait=1'),
      instance: fc.nat({ max: 1 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

let apps: readonly [TestApp, TestApp];
let team: Team;
const figures = { writes: 0, pages: 0, changed: 0, startedOver: 0 };

beforeAll(async () => {
  const app = await TestApp.shared();
  apps = [app, await TestApp.start({ database: app.database })];
  team = await newTeam(app);
});

afterAll(async () => {
  const parts = Object.entries(figures).map(([name, count]) => `${name} ${String(count)}`);
  process.stdout.write(`readers of workspaces · ${parts.join(' · ')}\n`);
  await apps[1].close();
  await apps[0].close();
});

const appAt = (index: number): TestApp => apps[index % 2] ?? apps[0];
const idOf = (path: string): string => path.split('/')[2] ?? '';

/** Follows a workspace, and each datagrid that has changed. */
class WorkspaceReader {
  readonly copy = new WorkspaceCopy();
  readonly datagrids = new Map<string, ChangeReader>();

  constructor(private readonly workspaceId: string) {}

  /** Reads until it is up to date at a moment after `end`. */
  async follow(
    { limit, wait, instance }: { limit: number; wait: string; instance: number },
    end: AbortSignal,
  ): Promise<void> {
    const app = appAt(instance);
    for (;;) {
      const isLast = end.aborted;
      const get = (query: string): Promise<ApiResponse> => {
        figures.pages += 1;
        const path = `/workspaces/${this.workspaceId}/changes?limit=${String(limit)}&${query}`;
        return app.api(team.viewer.key).get(`${path}${isLast ? '' : wait}`);
      };
      await this.copy.catchUp(get, (id) => this.readDatagrid(id, app));
      for (const id of this.datagrids.keys()) {
        if (!this.copy.revisions.has(id)) this.datagrids.delete(id);
      }
      if (isLast) return;
    }
  }

  private async readDatagrid(id: string, app: TestApp): Promise<void> {
    figures.changed += 1;
    const reader = this.datagrids.get(id) ?? new ChangeReader(team.viewer.key, `/datagrids/${id}`);
    this.datagrids.set(id, reader);
    const read = (): ReturnType<ChangeReader['read']> =>
      reader.read({
        origin: app.origin,
        form: 'pages',
        limit: 100,
        pages: 100,
        end: AbortSignal.abort(),
      });
    // 404 if it has just been moved to the trash: the feed of the workspace has a `delete` next.
    expect(['upToDate', 404]).toContain(await read());
  }
}

async function apply(
  { kind, target }: Write,
  api: ApiClient,
  workspaceId: string,
  datagrids: string[],
): Promise<void> {
  if (kind === 'create') {
    datagrids.push(await newDatagrid(api, COLUMNS, workspaceId));
    return;
  }
  const path = datagrids[target % Math.max(1, datagrids.length)];
  if (path === undefined) return;
  const id = idOf(path);
  const send = {
    row: () => api.post(`${path}/rows`, { values: { n: target } }),
    update: () => api.patch(`${path}/rows/1`, { values: { n: target } }),
    rename: () => api.patch(path, { name: `Renamed ${String(target)} ${id}` }),
    trash: () => api.delete(path),
    restore: () => api.post(`/trash/${id}/restore`),
    purge: async () => {
      await api.delete(path);
      return api.delete(`/trash/${id}`);
    },
  };
  const response = await send[kind]();
  // 404 while the datagrid is in the trash, or after another writer has purged it.
  if (response.status >= 500) throw new Error(`${kind}: ${response.text}`);
  if (response.status < 300) figures.writes += 1;
}

describe('readers of a workspace', () => {
  it('have equal copies of all its datagrids, whatever two instances write', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ datagrids: count, writers, readers }) => {
        const { api } = team.owner;
        const workspaceId = await newWorkspace(api);
        const datagrids: string[] = [];
        for (let n = 0; n < count; n += 1) {
          datagrids.push(await newDatagrid(api, COLUMNS, workspaceId));
        }
        const end = new AbortController();
        const followers = readers.map(() => new WorkspaceReader(workspaceId));
        const following = Promise.all(
          followers.map((follower, index) =>
            follower.follow(readers[index] ?? { limit: 1, wait: '', instance: 0 }, end.signal),
          ),
        );
        const writeAll = async (writes: readonly Write[]): Promise<void> => {
          for (const each of writes) {
            const writer = appAt(each.instance).api(team.owner.key);
            await apply(each, writer, workspaceId, datagrids);
          }
        };
        await Promise.all(writers.map(writeAll)).finally(() => {
          end.abort();
        });
        await following;
        const { body } = await api.get(
          `/workspaces/${workspaceId}/datagrids?limit=200&omitColumns=true`,
        );
        const listed = (body.data as { id: string }[]).map(({ id }) => id).sort();
        for (const { copy, datagrids: copies } of followers) {
          expect([...copies.keys()].sort()).toEqual(listed);
          for (const [id, reader] of copies) {
            expect(copyState(reader)).toEqual(await datagridState(api, `/datagrids/${id}`));
          }
          figures.startedOver += copy.startedOver;
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 240_000);
});
