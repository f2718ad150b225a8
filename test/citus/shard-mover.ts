import { Client } from 'pg';

/** How Citus moves a shard: writes go on until the end of the copy, or wait for it. */
export type TransferMode = 'force_logical' | 'block_writes' | 'auto';

interface Placement {
  readonly shard: string;
  readonly host: string;
  readonly port: number;
}

/** Moves shards between the workers of a cluster, with all tables of their datagrids. */
export class ShardMover {
  private constructor(private readonly client: Client) {}

  static async open(databaseUrl: string): Promise<ShardMover> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    return new ShardMover(client);
  }

  /** Lists the shards of datagrids, one placement for all tables with the same datagrids. */
  async placements(): Promise<Placement[]> {
    const { rows } = await this.client.query<Placement>(`
      SELECT p.shardid::text AS shard, p.nodename AS host, p.nodeport AS port
      FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid)
      WHERE s.logicalrelid = 'datagrid_counters'::regclass ORDER BY p.shardid`);
    return rows;
  }

  /** Moves a shard to another worker. @returns the duration in milliseconds. */
  async move({ shard, host, port }: Placement, mode: TransferMode): Promise<number> {
    const { rows } = await this.client.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
       WHERE isactive AND shouldhaveshards AND (nodename, nodeport) <> ($1, $2::int)
       ORDER BY nodeid LIMIT 1`,
      [host, port],
    );
    const target = rows[0];
    if (!target) throw new Error('There is no other worker.');
    const started = performance.now();
    await this.client.query(
      'SELECT citus_move_shard_placement($1, $2, $3, $4, $5, $6::citus.shard_transfer_mode)',
      [shard, host, port, target.host, target.port, mode],
    );
    return performance.now() - started;
  }

  /** Moves every shard to another worker, one after another. @returns the duration of each. */
  async moveAll(mode: TransferMode): Promise<number[]> {
    const tookMs: number[] = [];
    for (const placement of await this.placements()) tookMs.push(await this.move(placement, mode));
    return tookMs;
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
