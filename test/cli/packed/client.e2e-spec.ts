import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { collect } from '../../support/built-program';
import { LOOPBACK_ALLOWED } from '../../support/webhook-receiver';
import { type Fault, FaultyProxy } from '../client';
import { InstalledPackages, type ProgramResult } from './installed-packages';

const FLIGHTS = [
  { key: 'number', type: 'text', unique: true },
  { key: 'seats', type: 'integer' },
  { key: 'note', type: 'text' },
];
const ROWS = 3_000;

let app: TestApp;
let owner: Member;
let installed: InstalledPackages;

beforeAll(async () => {
  app = await TestApp.start({ settings: LOOPBACK_ALLOWED });
  owner = await app.newAccount();
  installed = InstalledPackages.get();
}, 180_000);

afterAll(() => app.close());

type Env = Readonly<Record<string, string>>;

const newId = async (): Promise<string> =>
  (await newDatagrid(owner.api, FLIGHTS)).slice('/datagrids/'.length);
const envOf = (GRID: string, more: Env = {}): Env => ({
  ...{ BASE_URL: app.origin, API_KEY: owner.key, GRID },
  ...more,
});
const rowCount = async (id: string): Promise<number> =>
  dataOf(await owner.api.get(`/datagrids/${id}`), 200).rowCount;

/** Runs an example through a proxy with these faults, and also returns the number of requests. */
async function runThrough(
  faults: readonly Fault[],
  name: string,
  env: Env,
): Promise<ProgramResult & { calls: number }> {
  const proxy = await FaultyProxy.start(app.port, faults);
  try {
    const result = await installed.run(name, { ...env, BASE_URL: proxy.url });
    return { ...result, calls: proxy.calls };
  } finally {
    proxy.close();
  }
}

/** Rows as CSV, as an export prints them. */
function csv(): string {
  const lines = Array.from({ length: ROWS }, (_, n) => {
    const note = ['', 'plain', '"quoted, ""twice"""', '"two\nlines"', 'Zürich 🛫'][n % 5] ?? '';
    return `DG ${String(n)},${n % 3 === 0 ? '' : String(n * 7)},${note}\n`;
  });
  return `number,seats,note\n${lines.join('')}`;
}

describe('the packed client', () => {
  const expected = (datagrids: readonly string[], workspaces: readonly string[]): object => ({
    role: 'owner',
    scopes: null,
    workspaces,
    datagrids,
    rowCount: 4,
    pages: [3, 1],
    stored: [
      { number: 'DG 1', seats: 120, note: 'updated' },
      { number: 'DG 2', seats: 50 },
      { number: 'DG 3', seats: 8 },
      { number: 'DG 4' },
    ],
    duplicate: { status: 409, code: 'conflict', field: 'values.number' },
    airlineName: 'Alpine Air',
    replaced: { no: 1, name: 'HB-ABC', seats: 120, airline: 1 },
    groups: [{ group: { airline: 1 }, values: { seats: '120' } }],
    copies: ['no', 'name', 'seats'],
  });
  const names = async (): Promise<string[]> =>
    ((await owner.api.get('/workspaces?limit=200')).body.data as { name: string }[]).map(
      ({ name }) => name,
    );

  it('reads and writes rows, by pages and with cursors', async () => {
    const id = await newId();
    const { stdout, stderr } = await installed.run('create-rows', envOf(id));
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(expected([id], await names()));
  });

  it('writes everything once through a proxy that closes connections after the requests were sent', async () => {
    const id = await newId();
    const faults = Array.from({ length: 100 }, (_, n): Fault =>
      n % 2 === 0 ? 'loses the response' : 'none',
    );
    const result = await runThrough(faults, 'create-rows', envOf(id));
    expect(JSON.parse(result.stdout)).toEqual(expected([id], await names()));
    expect(result.stderr.split('\n').filter((line) => line.startsWith('attempt 1:'))).toHaveLength(
      result.calls / 2,
    );
    expect(result.calls).toBeGreaterThan(30);
    // No write was made twice: each has its own revision.
    const grid = dataOf(await owner.api.get(`/datagrids/${id}`), 200);
    const undisturbed = await newId();
    await installed.run('create-rows', envOf(undisturbed));
    const other = dataOf(await owner.api.get(`/datagrids/${undisturbed}`), 200);
    expect(grid.revision).toBe(other.revision);
  }, 120_000);

  it('upserts any number of rows, and once more without a change', async () => {
    const id = await newId();
    const env = envOf(id, { COUNT: String(ROWS) });
    const faults: Fault[] = ['none', 'loses the response', 'unavailable', 'none', 'rejects'];
    const first = await runThrough(faults, 'upsert-all', env);
    expect(JSON.parse(first.stdout)).toEqual({ created: ROWS, updated: 0, unchanged: 0 });
    const second = await installed.run('upsert-all', env);
    expect(JSON.parse(second.stdout)).toEqual({ created: 0, updated: 0, unchanged: ROWS });
    expect(await rowCount(id)).toBe(ROWS);
  }, 120_000);

  it.each(['csv', 'ndjson'])('exports %s byte by byte as it was imported', async (format) => {
    const [source, copy] = [await newId(), await newId()];
    const sent = installed.path('sent.csv');
    writeFileSync(sent, csv());
    const imported = await installed.run(
      'copy-file',
      envOf(source, { MODE: 'import', FILE: sent }),
    );
    expect(imported).toEqual({ code: 0, stdout: `${String(ROWS)}\n`, stderr: '' });
    const files = ['first', 'second'].map((name) => installed.path(`${name}.${format}`));
    const [first = '', second = ''] = files;
    await installed.run('copy-file', envOf(source, { FILE: first }));
    // The import is sent twice, because its first response is lost.
    const again = envOf(copy, { MODE: 'import', FILE: first });
    const { stdout, calls } = await runThrough(['loses the response'], 'copy-file', again);
    expect([stdout, calls]).toEqual([`${String(ROWS)}\n`, 2]);
    await installed.run('copy-file', envOf(copy, { FILE: second }));
    const hash = (file: string): string =>
      createHash('sha256').update(readFileSync(file)).digest('hex');
    expect(hash(second)).toBe(hash(format === 'csv' ? sent : first));
    expect(readFileSync(first, 'utf8').split('\n').length).toBeGreaterThan(ROWS);
  });

  it.each(['cuts the response', 'shortens the response'] as const)(
    'notices that a proxy %s of an export',
    async (fault) => {
      const id = await newId();
      await installed.run('upsert-all', envOf(id, { COUNT: '500' }));
      const env = envOf(id, { FILE: installed.path('cut.csv') });
      const { stdout } = await runThrough([fault], 'copy-file', env);
      expect(stdout).toBe('The export ended early.\n');
      expect((await runThrough([], 'copy-file', env)).stdout).toBe('500\n');
    },
  );

  it('continues to follow changes where it was killed', async () => {
    const id = await newId();
    const rows = `/datagrids/${id}/rows`;
    const FILE = installed.path('copy.json');
    const stored = async (): Promise<unknown> => {
      const copy = JSON.parse(readFileSync(FILE, 'utf8')) as { rows: { id: number }[] };
      const listed = dataOf(await owner.api.get(`${rows}?limit=200`), 200) as { id: number }[];
      const [ours, theirs] = [copy.rows, listed].map((all) => [...all].sort((a, b) => a.id - b.id));
      return isDeepStrictEqual(ours, theirs);
    };
    let key = 'number';
    const create = async (number: string): Promise<string> => {
      const values = { [key]: number, ...(key === 'number' && { seats: 7, note: 'x' }) };
      return dataOf(await owner.api.post(rows, { values }), 201).id;
    };
    const removed = await create('DG 1');
    await create('DG 2');
    const faults: Fault[] = ['none', 'loses the response', 'unavailable'];
    const proxy = await FaultyProxy.start(app.port, faults);
    const start = (): ReturnType<InstalledPackages['start']> =>
      installed.start('follow-changes', { ...envOf(id), FILE, BASE_URL: proxy.url });
    let child = start();
    const printed = collect(child.stdout);
    await eventually(() => printed().includes('restart 3\n'));
    await create('DG 3');
    await eventually(stored);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(printed().match(/restart/g)).toHaveLength(1);

    // Two keys change, another column gets one of them, and a column is removed. No row is changed.
    const columns = `/datagrids/${id}/columns`;
    const patch = async (key: string, body: object): Promise<void> => {
      dataOf(await owner.api.patch(`${columns}/${key}`, body), 200);
    };
    await patch('number', { key: 'flight' });
    await patch('flight', { releaseKeys: ['number'] });
    await patch('seats', { key: 'number' });
    await patch('number', { releaseKeys: ['seats'] });
    dataOf(await owner.api.post(columns, { key: 'seats', type: 'integer' }), 201);
    expect((await owner.api.delete(`${columns}/note`)).status).toBe(204);
    key = 'flight';

    await owner.api.delete(`${rows}/${removed}`);
    await create('DG 4');
    child = start();
    const continued = collect(child.stdout);
    await eventually(stored);
    // The program prints a line after it has stored the changes.
    await eventually(() => continued().includes('\n'));
    child.kill('SIGKILL');
    await once(child, 'close');
    proxy.close();
    expect(continued()).toMatch(/^changes 3\n/);
  });

  it('verifies deliveries of the service, and rejects others', async () => {
    const id = await newId();
    const { workspaceId } = dataOf(await owner.api.get(`/datagrids/${id}`), 200);
    const path = `/workspaces/${workspaceId as string}/webhooks`;
    // The secret is known only after the URL is: the receiver starts twice.
    const probe = installed.start('receive-webhooks', { PORT: '0', WEBHOOK_SECRET: 'none' });
    const port = await portOf(collect(probe.stdout));
    probe.kill();
    await once(probe, 'close');
    const url = `http://127.0.0.1:${port}`;
    const { secret } = dataOf(
      await owner.api.post(path, { url, events: ['rows.created'], payload: 'full' }),
      201,
    );
    const env = { PORT: port, WEBHOOK_SECRET: secret as string };
    const receiver = installed.start('receive-webhooks', env);
    const received = collect(receiver.stdout);
    await portOf(received);
    dataOf(await owner.api.post(`/datagrids/${id}/rows`, { values: { number: 'DG 1' } }), 201);
    await eventually(() => received().endsWith(' rows.created\n'));
    const forged = await fetch(url, {
      method: 'POST',
      body: '{"type":"rows.created","timestamp":"","data":{}}',
      headers: {
        'webhook-id': 'e',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${btoa('x'.repeat(32))}`,
      },
    });
    expect(forged.status).toBe(400);
    expect(received().match(/rows\.created/g)).toHaveLength(1);
    receiver.kill();
    await once(receiver, 'close');
  });
});

const portOf = (printed: () => string): Promise<string> =>
  eventually(() => /^listening on (\d+)\n/.exec(printed())?.[1] ?? false);
