import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onDatabase, withClient } from '../support/database-url';
import { eventually } from '../support/eventually';

/** The PostgreSQL server of one node of a cluster on this machine. */
export class ClusterNode {
  private constructor(private readonly postmaster: number) {}

  /** @param databaseUrl URL of a database of the coordinator. */
  static async find(databaseUrl: string, kind: 'coordinator' | 'worker'): Promise<ClusterNode> {
    const host = await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ host: string }>(
        `SELECT nodename || ':' || nodeport AS host FROM pg_dist_node
         WHERE isactive AND (groupid = 0) = $1 ORDER BY nodeid LIMIT 1`,
        [kind === 'coordinator'],
      );
      return rows[0]?.host ?? '';
    });
    const url = Object.assign(new URL(onDatabase(databaseUrl, 'postgres')), { host }).href;
    return withClient(url, async (client) => {
      const { rows } = await client.query<{ text: string }>(
        "SELECT pg_read_file('postmaster.pid') AS text",
      );
      return new ClusterNode(Number.parseInt(rows[0]?.text ?? '', 10));
    });
  }

  /** Starts all nodes that do not run. */
  static async startAll(): Promise<void> {
    await promisify(execFile)('sh', ['-c', process.env['CITUS_START'] ?? 'false']);
  }

  /** Kills all processes of the server at once (`kill -9`). */
  async kill(): Promise<void> {
    // A stopped postmaster starts no further children.
    process.kill(this.postmaster, 'SIGSTOP');
    const pids = [this.postmaster, ...(await childrenOf(this.postmaster))];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await eventually(async () =>
      (await Promise.all(pids.map(parentOf))).every((id) => id === null),
    );
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_pid, index) => parents[index] === parent);
}

/** Returns the parent of a process; null if it has ended. */
async function parentOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ['Z', 'X', ''].includes(state) ? null : Number(parent);
}
