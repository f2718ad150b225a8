import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../support/built-program';
import { printFigures } from '../../faults/support/figures';
import { PostgresServer } from '../../faults/support/postgres-server';
import { processFigures } from '../../faults/support/process-figures';
import { quantile } from '../../faults/support/quantile';
import type { KeyAccess } from '../../../src/auth/api-key/key-access';
import { newKey, newKeys, newOwner, type Owner } from '../../faults/support/owner';
import { Replicas } from '../../faults/support/replicas';
import type { ApiClient } from '../../support/api-client';
import { AttackClient } from './attack-client';
import { Victim, type Reply } from './victim';

/** Heap size and memory limit as in the Kubernetes manifests. */
const HEAP = '--max-old-space-size=640';
const MEMORY_LIMIT_MIB = 1024;

const INSTANCES = 2;
/** Enough keys to stay below the rate limit of each. */
const VICTIM_KEYS = 4;
const WARM_UP_MS = 2_000;
const IDLE_MS = 4_000;
const SAMPLE_MS = 100;
/** Maximum ratio of the victim's p99 to its idle p99. */
const MAX_SLOWDOWN = 10;
/**
 * A lower p99 always passes. If the instances, PostgreSQL, the attacker and the victim share two
 * processors, a few requests take some hundred milliseconds.
 */
const UNNOTICED_MS = 500;

/** The attacking account. */
export interface Attacker extends Owner {
  /** Returns a client of an instance with the account's key. */
  readonly api: (instance: number) => ApiClient;
  /** Returns a client for the attack itself, which discards the responses. */
  readonly attack: (instance: number, key?: string) => ApiClient;
  readonly origins: readonly string[];
  /** Creates another key of the account, which may be limited. */
  readonly newKey: (access?: KeyAccess) => Promise<string>;
  /** Aborted when the attack must end. */
  readonly signal: AbortSignal;
}

export interface Attack {
  /** Duration. */
  readonly forMs: number;
  /** Creates data before the measurement starts. */
  readonly prepare?: (attacker: Attacker) => Promise<void>;
  /** Runs until `signal` is aborted or the attack is complete. May return figures to print. */
  readonly run: (attacker: Attacker) => Promise<Readonly<Record<string, number>> | undefined>;
}

/** Effect of an attack on the victim and on the processes. */
export interface Outcome {
  readonly idleP99Ms: number;
  readonly p99Ms: number;
  readonly replies: readonly Reply[];
  readonly peakResidentMiB: number;
  /** Figures of the attack. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Two instances with the default limits and the manifests' heap, a victim and an attacker. */
export class Arena {
  private constructor(
    private readonly postgres: PostgresServer,
    readonly replicas: Replicas,
    private readonly victim: Victim,
    private readonly idle: readonly Reply[],
  ) {}

  static async start(settings: Environment = {}): Promise<Arena> {
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
    return new Arena(postgres, replicas, victim, idle);
  }

  get instances(): number {
    return this.replicas.services.length;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  /**
   * Runs an attack at the same time as the victim's requests, and prints the outcome. Each attack
   * uses a new account, whose limits are not used yet.
   */
  async run(title: string, attack: Attack): Promise<Outcome> {
    const over = new AbortController();
    const owner = await newOwner(this.postgres.url);
    const attacker: Attacker = {
      ...owner,
      origins: this.replicas.origins,
      api: (instance) => this.replicas.api(instance, owner.key),
      attack: (instance, key = owner.key) =>
        new AttackClient(this.replicas.origins[instance] ?? '', key),
      newKey: async (access) => (await newKey(this.postgres.url, owner.email, access)).key,
      signal: over.signal,
    };
    await attack.prepare?.(attacker);
    const memory = this.watchMemory();
    let figures: Readonly<Record<string, number>> = {};
    const replies = await this.victim.during(async () => {
      const timer = setTimeout(() => {
        over.abort();
      }, attack.forMs);
      figures = (await attack.run(attacker)) ?? {};
      clearTimeout(timer);
    });
    over.abort();
    const outcome: Outcome = {
      idleP99Ms: p99(this.idle),
      p99Ms: p99(replies),
      replies,
      peakResidentMiB: memory.stop(),
      figures,
    };
    printFigures(title, {
      ...figures,
      "victim's requests": replies.length,
      rejected: replies.filter(isRejected).length,
      'idle p99 ms': outcome.idleP99Ms,
      'p99 ms': outcome.p99Ms,
      'longest ms': Math.max(...replies.map(({ tookMs }) => tookMs)),
      'most resident MiB': outcome.peakResidentMiB,
    });
    return outcome;
  }

  /** Asserts that the victim and the instances were not affected. */
  expectUnaffected({ idleP99Ms, p99Ms, replies, peakResidentMiB }: Outcome): void {
    expect(replies.filter(isRejected).slice(0, 3)).toEqual([]);
    expect(replies.length).toBeGreaterThan(50);
    expect(this.replicas.services.map(({ child }) => [child.exitCode, child.signalCode])).toEqual(
      this.replicas.services.map(() => [null, null]),
    );
    expect(peakResidentMiB).toBeLessThan(MEMORY_LIMIT_MIB);
    expect(p99Ms).toBeLessThan(Math.max(MAX_SLOWDOWN * idleP99Ms, UNNOTICED_MS));
  }

  async stop(): Promise<void> {
    await this.victim.stop();
    await this.replicas.kill();
    await this.postgres.remove();
  }

  private watchMemory(): { stop: () => number } {
    let peakMiB = 0;
    const look = async (pid: number | undefined): Promise<void> => {
      // `expectUnaffected` reports processes that have ended.
      const figures = pid === undefined ? null : await processFigures(pid).catch(() => null);
      peakMiB = Math.max(peakMiB, figures?.residentMiB ?? 0);
    };
    const timer = setInterval(() => {
      for (const { child } of this.replicas.services) void look(child.pid);
    }, SAMPLE_MS);
    return {
      stop: () => {
        clearInterval(timer);
        return peakMiB;
      },
    };
  }
}

const isRejected = ({ status }: Reply): boolean => status < 200 || status > 299;

const p99 = (replies: readonly Reply[]): number =>
  quantile(
    replies.map(({ tookMs }) => tookMs),
    0.99,
  );

/** Repeats `call` in `clients` loops until the attack ends. @returns the number of each status. */
export async function hammer(
  { signal }: Attacker,
  clients: number,
  call: (client: number, turn: number) => Promise<{ readonly status: number }>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const loop = async (client: number): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const status = await call(client, turn).then(
        (response) => response.status,
        () => 0,
      );
      const name = `status ${String(status)}`;
      counts[name] = (counts[name] ?? 0) + 1;
      // Without a pause, rejected clients would use all CPU time for rejections.
      if (status === 0 || status === 429 || status === 503) await delay(REJECTED_PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  return counts;
}

const REJECTED_PAUSE_MS = 20;
