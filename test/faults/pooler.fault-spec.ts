import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminJson } from '../cli/admin';
import { eventually } from '../support/eventually';
import { describePgBouncer, PgBouncer } from '../support/pg-bouncer';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { expectWithin } from './support/measured';
import { compare, NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { faultsAmong, recoveryMs } from './support/summary';

/** Limit for a machine that does nothing else. With the defaults of PgBouncer it is up to 15 s. */
const RECOVERY_MS = 6_000;

const TEMPLATES = join(__dirname, '../../deploy/helm/datagrid-platform/templates');

/** The setting of the Helm chart for the time until PgBouncer tries to connect again. */
function retrySetting(): string {
  const template = readFileSync(join(TEMPLATES, 'pgbouncer.yaml'), 'utf8');
  return /^server_login_retry = \d+$/m.exec(template)?.[0] ?? '';
}

describePgBouncer('the service behind PgBouncer with the settings of the Helm chart', () => {
  let directory: string;
  let postgres: PostgresServer;
  let bouncer: PgBouncer;
  let replicas: Replicas;
  let owner: Owner;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'datagrid-pooler-'));
    await chmod(directory, 0o755);
    // PgBouncer runs as a user of its own.
    const file = join(directory, 'pg_hba.conf');
    await writeFile(file, 'local all all trust\n');
    postgres = await PostgresServer.start({ hba_file: file });
    bouncer = await PgBouncer.start(postgres.url, 'transaction', retrySetting());
    replicas = await Replicas.start(2, {
      DATABASE_URL: bouncer.through(postgres.url),
      DATABASE_DIRECT_URL: postgres.url,
      PREPARED_STATEMENTS: 'off',
    });
    owner = await newOwner(postgres.url);
  });

  afterAll(async () => {
    await replicas.kill();
    await bouncer.stop();
    await postgres.remove();
    await rm(directory, { recursive: true });
  });

  it('loses no acknowledged write if PostgreSQL is killed, and recovers', async () => {
    expect(retrySetting()).toBe('server_login_retry = 1');
    const grid = await NumberedGrid.create(replicas.api(0, owner.key));
    const loader = new Loader({
      origins: replicas.origins,
      key: owner.key,
      clients: 12,
      next: () => grid.nextCreate(),
    });
    await eventually(() => loader.count(201) >= 350, 60_000);
    await postgres.kill();
    await eventually(() => loader.count(503) > 24, 60_000);
    await postgres.start();
    const backAtMs = performance.now();
    await eventually(() => recoveryMs(loader.results, backAtMs) < Infinity, 60_000, 50);
    const recoveredMs = recoveryMs(loader.results, backAtMs);
    const results = await loader.stop();
    await replicas.allReady();
    const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
    printFigures('kill -9 of PostgreSQL behind PgBouncer', {
      requests: results.length,
      acknowledged: found.acknowledged,
      lost: found.lost.length,
      twice: found.twice.length,
      rejected: loader.count(503),
      'time to recover ms': recoveredMs,
    });
    expect(found).toMatchObject({ lost: [], twice: [] });
    expect(faultsAmong(results)).toEqual([]);
    expectWithin(recoveredMs, RECOVERY_MS);
    const verified = await adminJson({ DATABASE_URL: postgres.url }, 'verify');
    expect(verified.problems).toEqual([]);
  });
});
