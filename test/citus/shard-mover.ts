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
  private constructor(
    private readonly client: Client,
    private readonly observer: Client,
    /** Process of the coordinator that runs the moves. */
    private readonly processId: number,
  ) {}

  static async open(databaseUrl: string): Promise<ShardMover> {
    const client = new Client({ connectionString: databaseUrl });
    const observer = new Client({ connectionString: databaseUrl });
    await client.connect();
    await observer.connect();
    const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
    return new ShardMover(client, observer, rows[0]?.id ?? 0);
  }

  /** Lists the shards of datagrids, one placement for all tables with the same datagrids. */
  async placements(): Promise<Placement[]> {
    const { rows } = await this.client.query<Placement>(`
      SELECT p.shardid::text AS shard, p.nodename AS host, p.nodeport AS port
      FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid)
      WHERE s.logicalrelid = 'datagrid_counters'::regclass ORDER BY p.shardid`);
    return rows;
  }

  /** Returns the placement of the shard of a datagrid. */
  async placementOf(datagridId: string): Promise<Placement> {
    const { rows } = await this.client.query<{ shard: string }>(
      `SELECT get_shard_id_for_distribution_column('datagrid_counters', $1::uuid)::text AS shard`,
      [datagridId],
    );
    const found = (await this.placements()).find(({ shard }) => shard === rows[0]?.shard);
    if (!found) throw new Error('The datagrid has no shard.');
    return found;
  }

  /** Returns whether the move in progress waits for a lock of the coordinator. */
  async isWaiting(): Promise<boolean> {
    const { rows } = await this.observer.query(
      'SELECT FROM pg_locks WHERE pid = $1 AND NOT granted',
      [this.processId],
    );
    return rows.length > 0;
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
    await this.observer.end();
  }
}
