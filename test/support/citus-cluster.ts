import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDatabase, withClient } from './database-url';

const DISTRIBUTE = join(__dirname, '../../deploy/citus/distribute.sql');

/** The nodes of a Citus cluster. Each test database exists on all of them, under the same name. */
export class CitusCluster {
  private constructor(
    /** URL of each node; the coordinator first. */
    readonly nodeUrls: readonly string[],
  ) {}

  /** Reads the nodes. @param url URL of a database of the coordinator that knows all nodes. */
  static async open(url: string): Promise<CitusCluster> {
    const nodes = await withClient(url, async (client) => {
      const { rows } = await client.query<{ host: string }>(
        `SELECT nodename || ':' || nodeport AS host FROM pg_dist_node
         WHERE isactive AND noderole = 'primary' ORDER BY groupid, nodeid`,
      );
      return rows.map(({ host }) => host);
    });
    return new CitusCluster(nodes.map((host) => Object.assign(new URL(url), { host }).href));
  }

  /** Makes an empty database of all nodes a cluster of its own. */
  async connectNodes(database: string): Promise<void> {
    for (const url of this.nodeUrls) {
      await withClient(onDatabase(url, database), (client) =>
        client.query('CREATE EXTENSION citus'),
      );
    }
    const [coordinator = '', ...workers] = this.nodeUrls;
    await withClient(onDatabase(coordinator, database), async (client) => {
      await client.query('SELECT citus_set_coordinator_host($1, $2)', addressOf(coordinator));
      for (const url of workers)
        await client.query('SELECT citus_add_node($1, $2)', addressOf(url));
    });
  }

  /** Distributes the tables of a database, as an operator does. */
  async distribute(database: string): Promise<void> {
    const text = await readFile(DISTRIBUTE, 'utf8');
    await withClient(onDatabase(this.nodeUrls[0] ?? '', database), (client) => client.query(text));
  }

  /** Closes a database to all sessions, including those of Citus, so that it can be copied. */
  async close(database: string): Promise<void> {
    for (const url of this.nodeUrls) {
      await withClient(url, async (client) => {
        await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
        await client.query(
          'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1',
          [database],
        );
      });
    }
  }
}

function addressOf(url: string): [string, number] {
  const { hostname, port } = new URL(url);
  return [hostname, Number(port)];
}

/** Describes a suite that is skipped, and says so, without a cluster: no package registry has Citus. */
export function describeCitus(name: string, suite: () => void): void {
  if (process.env['CITUS_URL'] === undefined) {
    describe.skip(`${name} (skipped: CITUS_URL is not set)`, suite);
  } else {
    describe(name, suite);
  }
}

/** Describes a suite of what only a plain PostgreSQL allows. It is skipped, and says so, on a cluster. */
export function describePlain(name: string, suite: () => void): void {
  if (process.env['CITUS_URL'] === undefined) describe(name, suite);
  else describe.skip(`${name} (skipped: CITUS_URL is set)`, suite);
}
