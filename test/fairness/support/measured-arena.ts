import { setTimeout as delay } from 'node:timers/promises';
import { printFigures } from '../../faults/support/figures';
import { newKeys, newOwner } from '../../faults/support/owner';
import { PostgresServer } from '../../faults/support/postgres-server';
import { quantile } from '../../faults/support/quantile';
import { Replicas } from '../../faults/support/replicas';
import type { TestSettings } from '../../support/test-settings';
import type { Arena } from './arena';
import { newAttacker, WITHOUT_RETRY_AFTER, type Attack, type Figures } from './attack';
import { HEAP, INSTANCES, MEMORY_LIMIT_MIB, VICTIM_KEYS } from './limits';
import { peakMemoryMiB } from './peak-memory';
import { Victim, type Reply } from './victim';

const WARM_UP_MS = 2_000;
const IDLE_MS = 4_000;
/** Maximum ratio of the victim's p99 to its idle p99. */
const MAX_SLOWDOWN = 10;
/**
 * A lower p99 always passes. If the instances, PostgreSQL, the attacker and the victim share two
 * processors, a few requests take some hundred milliseconds.
 */
const UNNOTICED_MS = 500;

/** Compares the latency of the victim during an attack with that of idle instances. */
export class MeasuredArena implements Arena {
  private constructor(
    private readonly postgres: PostgresServer,
    private readonly replicas: Replicas,
    private readonly victim: Victim,
    private readonly idle: readonly Reply[],
  ) {}

  static async start(settings: TestSettings): Promise<MeasuredArena> {
    const postgres = await PostgresServer.start();
    const replicas = await Replicas.withDefaultLimits(INSTANCES, {
      DATABASE_URL: postgres.url,
      NODE_OPTIONS: HEAP,
      ...settings,
    });
    const owner = await newOwner(postgres.url);
    const others = await newKeys(postgres.url, owner.email, VICTIM_KEYS - 1);
    const keys = [owner.key, ...others.map(({ key }) => key)];
    const api = replicas.api(0, owner.key);
    const victim = await Victim.create(api, replicas.origins, keys);
    await victim.during(() => delay(WARM_UP_MS));
    const idle = await victim.during(() => delay(IDLE_MS));
    return new MeasuredArena(postgres, replicas, victim, idle);
  }

  get origins(): readonly string[] {
    return this.replicas.origins;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  private get processIds(): readonly number[] {
    return this.replicas.services.map(({ child }) => child.pid ?? 0);
  }

  async run(title: string, attack: Attack): Promise<Figures> {
    const over = new AbortController();
    const attacker = await newAttacker(this.databaseUrl, this.origins, over.signal);
    await attack.prepare?.(attacker);
    let figures: Figures = {};
    const replies = await this.victim.during(async () => {
      const timer = setTimeout(() => {
        over.abort();
      }, attack.forMs);
      figures = (await attack.run(attacker)) ?? {};
      clearTimeout(timer);
    });
    over.abort();
    const mostMiB = Math.max(...(await peakMemoryMiB(this.processIds)));
    printFigures(title, {
      ...figures,
      "victim's requests": replies.length,
      rejected: replies.filter(isRejected).length,
      'idle p99 ms': p99(this.idle),
      'p99 ms': p99(replies),
      'longest ms': Math.max(...replies.map(({ tookMs }) => tookMs)),
      'most resident MiB': mostMiB,
    });
    expect(figures[WITHOUT_RETRY_AFTER]).toBeUndefined();
    expect(replies.filter(isRejected).slice(0, 3)).toEqual([]);
    expect(replies.length).toBeGreaterThan(50);
    expect(mostMiB).toBeLessThan(MEMORY_LIMIT_MIB);
    expect(p99(replies)).toBeLessThan(Math.max(MAX_SLOWDOWN * p99(this.idle), UNNOTICED_MS));
    return figures;
  }

  async stop(): Promise<void> {
    await this.victim.stop();
    await this.replicas.kill();
    await this.postgres.remove();
  }
}

const isRejected = ({ status }: Reply): boolean => status < 200 || status > 299;

const p99 = (replies: readonly Reply[]): number =>
  quantile(
    replies.map(({ tookMs }) => tookMs),
    0.99,
  );
