import { printFigures } from '../../faults/support/figures';
import { ApiClient } from '../../support/api-client';
import type { TestSettings } from '../../support/test-settings';
import { eventually } from '../../support/eventually';
import type { Arena } from './arena';
import { newAttacker, WITHOUT_RETRY_AFTER, type Attack, type Figures } from './attack';
import { MEMORY_LIMIT_MIB } from './limits';
import { peakMemoryMiB } from './peak-memory';
import {
  GateControl,
  SHARED_SETTINGS,
  sharedInstances,
  type SharedInstances,
} from './shared-arena';
import { newVictimCalls, type Call } from './victim-calls';

const VICTIM_ROWS = 100;
const PATIENCE_MS = 90_000;
const INTERVAL_MS = 100;
/**
 * What one account may use while others are active: a fifth of the main pool and a fifth of that for
 * queries, each of which has 10 connections.
 */
const MAX_STATEMENTS = 2 + 2;

/** Asserts that the victim's requests are answered while the attack's are in progress. */
export class OrderedArena implements Arena {
  private sent = 0;

  private constructor(
    private readonly instances: SharedInstances,
    private readonly gates: GateControl,
    private readonly calls: readonly Call[],
  ) {}

  static async start(settings: TestSettings): Promise<OrderedArena> {
    expect(SHARED_SETTINGS).toMatchObject(settings);
    const instances = sharedInstances();
    const api = new ApiClient(instances.origins[0] ?? '', instances.victimKeys[0]);
    const calls = await newVictimCalls(api, VICTIM_ROWS);
    return new OrderedArena(instances, new GateControl(instances.controlUrl), calls);
  }

  get origins(): readonly string[] {
    return this.instances.origins;
  }

  get databaseUrl(): string {
    return this.instances.databaseUrl;
  }

  async run(title: string, attack: Attack): Promise<Figures> {
    const over = new AbortController();
    const held = attack.held !== undefined;
    const isSingle = !held && attack.hasBegun === undefined;
    const attacker = await newAttacker(this.databaseUrl, this.origins, over.signal, isSingle);
    await attack.prepare?.(attacker);
    // From now on, another account than the attacker's is active.
    await this.send(this.calls);
    if (attack.held) await this.gates.hold(attack.held());
    const running = attack.run(attacker);
    running.catch(() => undefined);
    let figures: Figures = {};
    try {
      await this.untilBegun(attack, running);
      await this.send(this.calls);
      figures = held ? await this.heldStatements(attack) : { pending: attacker.pending.count };
    } finally {
      over.abort();
      await this.gates.release();
      figures = { ...figures, ...(await running) };
    }
    const memoryMiB = Math.max(...(await peakMemoryMiB(this.instances.processIds)));
    printFigures(title, { ...figures, 'most resident MiB': memoryMiB });
    if (!held && attack.mayEndFirst !== true) expect(figures['pending']).toBeGreaterThan(0);
    expect(memoryMiB).toBeLessThan(MEMORY_LIMIT_MIB);
    expect(figures[WITHOUT_RETRY_AFTER]).toBeUndefined();
    return figures;
  }

  /** The instances go on, for the next file. */
  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Waits until each instance works on the attack. Meanwhile the victim stays active. */
  private async untilBegun(attack: Attack, running: Promise<unknown>): Promise<void> {
    const { held, hasBegun, instances } = attack;
    const ended = running.then(() => {
      throw new Error('The attack ended before it had begun.');
    });
    ended.catch(() => undefined);
    const isBegun = async (): Promise<boolean> => {
      await this.send(this.calls.slice(0, 1));
      const attacked = (await this.gates.held()).slice(0, instances);
      return (!held || attacked.every(({ now }) => now > 0)) && hasBegun?.() !== false;
    };
    if (held || hasBegun)
      await Promise.race([eventually(isBegun, PATIENCE_MS, INTERVAL_MS), ended]);
  }

  /** Returns the most statements of the attack that were held at the same time. */
  private async heldStatements({ maxStatements = MAX_STATEMENTS }: Attack): Promise<Figures> {
    const held = await this.gates.held();
    const excess = held.filter(({ most }) => most > maxStatements);
    expect(excess).toEqual([]);
    return { 'statements held': Math.max(...held.map(({ most }) => most)) };
  }

  /** Sends requests of the victim to each instance, one after another. */
  private async send(calls: readonly Call[]): Promise<void> {
    const statuses: Record<string, string> = {};
    for (const { name, method, path, body } of calls) {
      for (const [instance, origin] of this.origins.entries()) {
        const { victimKeys } = this.instances;
        const api = new ApiClient(origin, victimKeys[(this.sent += 1) % victimKeys.length], '');
        const { status, text } = await api.send(method, path, body);
        if (status > 299) statuses[`${name} of instance ${String(instance)}`] = text;
      }
    }
    expect(statuses).toEqual({});
  }
}
