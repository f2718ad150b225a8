import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** For how long what is remembered may be trusted after PostgreSQL was last heard to answer. */
const TRUST_MS = 500;
const HEARTBEAT_MS = 100;
const RECONNECT_MS = 1_000;

/** More than the trust lasts, for timers that fire early. */
const SETTLE_MS = TRUST_MS + 50;

/**
 * Hears at once, by PostgreSQL's `NOTIFY`, that something which this process remembers has changed.
 * The connection sends itself a heartbeat: notices come in the order of commits, so a heartbeat
 * that comes back proves that all changes before it were heard. While none does, for whatever
 * reason, nothing remembered is to be trusted.
 *
 * Listening needs a connection of its own, straight to PostgreSQL. It begins with the first
 * question whether notices are heard.
 */
export class ChangeNotices {
  /** Of this process alone; all channels share one queue, and so one order. */
  private readonly heartbeatChannel = `heartbeat_${randomUUID().replaceAll('-', '')}`;
  private client: Client | null = null;
  private hasBegun = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  /** When the last heartbeat that has come back was sent, on `performance`'s clock. */
  private heardAtMs = -Infinity;

  /** @param onChange Called for every change, and whenever some may have been missed. */
  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly onChange: () => void,
  ) {}

  /** Whether every change was heard that was committed longer ago than `settle` waits. */
  get areHeard(): boolean {
    if (!this.hasBegun) {
      this.hasBegun = true;
      void this.connect();
    }
    return performance.now() - this.heardAtMs < TRUST_MS;
  }

  /**
   * Waits until no process trusts what it remembers from before: those that have not heard by then
   * no longer trust their memory.
   */
  static async settle(): Promise<void> {
    await delay(SETTLE_MS);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5_000,
      // A heartbeat that does not come back: the connection has died without a word.
      query_timeout: 5_000,
      keepAlive: true,
      application_name: 'datagrid-platform notices',
    });
    this.client = client;
    client.on('notification', ({ channel, payload }) => {
      if (channel === this.channel) this.onChange();
      else this.heardAtMs = Number(payload);
    });
    const lose = (): void => {
      this.lose(client);
    };
    client.on('error', lose).on('end', lose);
    try {
      await client.connect();
      await client.query(`LISTEN ${this.channel}; LISTEN ${this.heartbeatChannel}`);
      // What changed while nobody listened was not heard.
      this.onChange();
      await this.beat(client);
    } catch {
      this.lose(client);
    }
  }

  /** One at a time: of a connection that hangs nothing comes back, and nothing more is sent. */
  private async beat(client: Client): Promise<void> {
    const sentAtMs = String(performance.now());
    await client.query('SELECT pg_notify($1, $2)', [this.heartbeatChannel, sentAtMs]);
    if (this.client !== client || this.isStopped) return;
    this.timer = setTimeout(() => {
      this.beat(client).catch(() => {
        this.lose(client);
      });
    }, HEARTBEAT_MS).unref();
  }

  private lose(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.heardAtMs = -Infinity;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }
}
