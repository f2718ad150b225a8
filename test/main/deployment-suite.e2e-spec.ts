import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminJson } from '../cli/admin';
import { collect, type Environment } from '../support/built-program';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ServiceProcess } from './service-process';

jest.setTimeout(300_000);

const ROOT = join(__dirname, '../..');
const ADMIN = join(ROOT, 'dist/src/cli/admin.js');
/** Low enough that the suite has to wait for it. */
const LIMIT = { RATE_LIMIT_REQUESTS: '150', RATE_LIMIT_WINDOW_SECONDS: '3' };

let place: string;
let database: TestDatabase;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'datagrid-e2e-'));
  database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url, ...LIMIT };
  service = await ServiceProcess.ready(settings);
  const named = ['--name', 'QA', '--owner-email', 'qa@example.com'];
  await adminJson(settings, 'account', 'create', ...named);
  key = (await adminJson(settings, 'key', 'create', '--email', 'qa@example.com')).key as string;
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await database.drop();
  rmSync(place, { recursive: true, force: true });
});

/** The results of an earlier run, which passed. */
const OLD_RESULTS = '<testsuites name="old" tests="1" failures="0" errors="0"></testsuites>';

interface Run {
  readonly status: number | null;
  readonly output: string;
  /** The attributes of the root element, such as `tests`, and the names of failed tests. */
  readonly totals: Readonly<Record<string, string>>;
  readonly failed: readonly string[];
  readonly xml: string;
}

/** Runs the suite as `npm run e2e` does. */
async function run(more: Environment, ...args: string[]): Promise<Run> {
  const junit = join(place, 'results.xml');
  writeFileSync(junit, OLD_RESULTS);
  const call = ['--base-url', await service.origin(), '--junit', junit, ...args];
  const child = spawn(process.execPath, [join(ROOT, 'tools/e2e.mjs'), ...call], {
    cwd: place,
    env: { PATH: process.env['PATH'] ?? '', HOME: place, E2E_API_KEY: key, ...more },
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [status] = (await once(child, 'close')) as [number | null];
  const xml = readFileSync(junit, 'utf8');
  rmSync(junit, { force: true });
  const [, head = ''] = /<testsuites ([^>]*)>/.exec(xml) ?? [];
  const totals = Object.fromEntries(
    [...head.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const cases = [...xml.matchAll(/<testcase [^>]*name="([^"]*)"[^>]*>\s*<failure/g)];
  return {
    status,
    output: stdout() + stderr(),
    totals,
    failed: cases.map(([, name = '']) => name),
    xml,
  };
}

async function count(table: string, condition = 'true'): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`;
  const { rows } = await withClient(database.url, (client) => client.query(text));
  return (rows[0] as { count: number }).count;
}

/** Expects that a run has deleted everything that it created, as far as possible. */
async function expectNothingLeft(): Promise<void> {
  expect([await count('workspaces'), await count('datagrids')]).toEqual([0, 0]);
  // Rows of purged datagrids are deleted in the background.
  await eventually(async () => (await count('rows')) === 0, 60_000);
  expect(await count('api_keys', 'revoked_at IS NULL')).toBe(1);
}

describe('the end-to-end suite against a service', () => {
  it('passes, respects the rate limit, writes JUnit results and cleans up', async () => {
    const operator = {
      E2E_OPERATOR: `env DATABASE_URL='${database.url}' ${process.execPath} ${ADMIN}`,
    };
    const { status, output, totals, failed } = await run(operator);
    expect({ status, failed, output: status === 0 ? '' : output }).toEqual({
      status: 0,
      failed: [],
      output: '',
    });
    expect(totals).toMatchObject({ failures: '0', errors: '0' });
    expect(Number(totals['tests'])).toBeGreaterThan(120);
    // The suite waited before it exceeded its limit.
    const rejected = service.log().filter((line) => line['status'] === 429);
    expect(rejected).toEqual([]);
    expect(service.log().filter(({ msg }) => msg === 'request').length).toBeGreaterThan(250);
    await expectNothingLeft();
    expect(await count('users', "email LIKE 'e2e-viewer@%' AND NOT suspended")).toBe(0);
  });

  it('fails if a test fails, and still cleans up', async () => {
    // An owner is not a viewer, so the test fails.
    const { status, totals, failed } = await run({ E2E_VIEWER_API_KEY: key }, '--only', 'callers');
    expect(status).toBe(1);
    expect(totals).toMatchObject({ failures: '1' });
    expect(failed).toEqual([expect.stringContaining('can read but not write')]);
    await expectNothingLeft();
  });

  it.each([
    ['a wrong key', [], { E2E_API_KEY: 'mk_wrong' }, 'GET /me with E2E_API_KEY returned 401'],
    [
      'an unreachable deployment',
      ['--base-url', 'http://127.0.0.1:2'],
      {},
      'http://127.0.0.1:2 cannot be reached: connect ECONNREFUSED 127.0.0.1:2',
    ],
    ['unknown tests', ['--only', 'nothing'], {}, 'No tests found'],
  ])(
    'reports that no test was run for %s, even if earlier results exist',
    async (_, args, more, message) => {
      const { status, output, totals } = await run(more, ...args);
      expect([status, output]).toEqual([1, expect.stringContaining(message)]);
      expect(totals).toMatchObject({
        name: expect.any(String),
        tests: '1',
        errors: '1',
        failures: '0',
      });
      expect(totals['name']).toMatch(/^End-to-end: http/);
    },
  );

  it('writes valid XML, whatever the deployment returns', async () => {
    const odd = createServer(({ url = '' }, response) => {
      const owner = { role: 'owner', account: { id: 'an account' } };
      const isMe = url.endsWith('/me');
      const known = { data: isMe ? owner : [], meta: { totalPages: 1 }, more: '<\u0000\u0001&' };
      response.setHeader('content-type', 'application/json');
      // These characters are not escaped, which is invalid in JSON.
      response.end(
        isMe || url.includes('limit=200') ? JSON.stringify(known) : '"<\u0000\u0001&\u001b]"',
      );
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const url = `http://127.0.0.1:${String((odd.address() as AddressInfo).port)}`;
    const { status, totals, xml } = await run({}, '--base-url', url, '--only', 'contract');
    odd.close();
    expect([status, Number(totals['failures']) > 5]).toEqual([1, true]);
    expect(xml).toContain('&lt;');
    expect(xml).toMatch(/^[\t\n\r\u{20}-\u{fffd}]*$/u);
  });

  it.each([
    ['a base URL', ['--base-url', 'nowhere'], {}, '--base-url is no URL'],
    ['a key', [], { E2E_API_KEY: '' }, 'E2E_API_KEY is not set'],
  ])('reports that %s is missing', async (_, args, more, message) => {
    const { status, output } = await run(more, ...args);
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  });
});
