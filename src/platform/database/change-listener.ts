import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

export interface HeartbeatTiming {
  /** Time for which cached data may be used after the last heartbeat. */
  readonly maxAgeMs: number;
  readonly intervalMs: number;
}

export const HEARTBEAT_TIMING: HeartbeatTiming = { maxAgeMs: 500, intervalMs: 100 };
/** Less than a second with the time to connect and to check streams: a change may have been missed meanwhile. */
const RECONNECT_MS = 250;

/** A change waits for longer than a heartbeat is valid, because timers may fire early. */
const PROPAGATION_FACTOR = 1.1;

/**
 * Listens for notifications (`NOTIFY`) that data cached by this process has changed. It sends itself a
 * heartbeat on the same connection. Notifications arrive in commit order, so a returned heartbeat
 * proves that all earlier changes have been received. Without heartbeats, caches must not be used.
 *
 * Uses a connection of its own, directly to PostgreSQL, and connects on the first use of `isCurrent` or `begin`.
 */
export class ChangeListener {
  /** Tests lower it. It must be the same in all processes that use a database. */
  static timing = HEARTBEAT_TIMING;

  /** Used by this process only. PostgreSQL delivers all channels in one order. */
  private readonly heartbeatChannel = `heartbeat_${randomUUID().replaceAll('-', '')}`;
  private client: Client | null = null;
  private hasBegun = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  /** Time at which the last returned heartbeat was sent, in milliseconds of `performance.now`. */
  private heartbeatAtMs = -Infinity;

  /**
   * @param onChange Called with what a notification says has changed. Without it, anything may have: the notification
   *   does not say, or some may have been missed.
   */
  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly onChange: (what?: string) => void,
  ) {}

  /** Whether every change has been received that was committed before the last heartbeat. */
  get isCurrent(): boolean {
    this.begin();
    return performance.now() - this.heartbeatAtMs < ChangeListener.timing.maxAgeMs;
  }

  /** Begins to listen. Once it does, it reports that anything may have changed. Calling it again has no effect. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    void this.connect();
  }

  /**
   * Waits until no process uses data cached before a change: by then each has received the
   * notification, or stopped using its cache.
   */
  static async waitUntilPropagated(): Promise<void> {
    await delay(ChangeListener.timing.maxAgeMs * PROPAGATION_FACTOR);
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
      // If a heartbeat does not return, the connection is dead.
      query_timeout: 5_000,
      keepAlive: true,
      application_name: 'datagrid-platform notices',
    });
    this.client = client;
    client.on('notification', ({ channel, payload }) => {
      if (channel === this.channel) this.onChange(payload === '' ? undefined : payload);
      else this.heartbeatAtMs = Number(payload);
    });
    const reconnect = (): void => {
      this.reconnect(client);
    };
    client.on('error', reconnect).on('end', reconnect);
    try {
      await client.connect();
      await client.query(`LISTEN ${this.channel}; LISTEN ${this.heartbeatChannel}`);
      // Changes before this connection were not received.
      this.onChange();
      await this.sendHeartbeat(client);
    } catch {
      this.reconnect(client);
    }
  }

  /** Sends one heartbeat at a time: on a connection that hangs, no more are sent. */
  private async sendHeartbeat(client: Client): Promise<void> {
    const sentAtMs = String(performance.now());
    await client.query('SELECT pg_notify($1, $2)', [this.heartbeatChannel, sentAtMs]);
    if (this.client !== client || this.isStopped) return;
    this.timer = setTimeout(() => {
      this.sendHeartbeat(client).catch(() => {
        this.reconnect(client);
      });
    }, ChangeListener.timing.intervalMs).unref();
  }

  private reconnect(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.heartbeatAtMs = -Infinity;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }
}
