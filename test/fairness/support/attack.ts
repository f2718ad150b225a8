import { setTimeout as delay } from 'node:timers/promises';
import type { KeyAccess } from '../../../src/auth/api-key/key-access';
import { newKeys, newOwner, type Owner } from '../../faults/support/owner';
import { ApiClient } from '../../support/api-client';
import { AttackClient } from './attack-client';

export type Figures = Readonly<Record<string, number>>;

/** The attacking account. */
export interface Attacker extends Owner {
  /** Returns a client of an instance with the account's key. */
  readonly api: (instance: number) => ApiClient;
  /** Returns a client for the attack itself, which discards the responses. */
  readonly attack: (instance: number, key?: string) => ApiClient;
  readonly origins: readonly string[];
  /** Creates more keys of the account, which may be limited. */
  readonly newKeys: (count: number, access?: KeyAccess) => Promise<readonly string[]>;
  /** Aborted when the attack must end. */
  readonly signal: AbortSignal;
  /** Requests of the attack in progress, which `hammer` counts. */
  readonly pending: { count: number };
  /** Whether each client of `hammer` sends a single request. */
  readonly isSingle: boolean;
}

export interface Attack {
  /** Duration if latencies are measured. */
  readonly forMs: number;
  /** Creates data before the attack starts. */
  readonly prepare?: (attacker: Attacker) => Promise<void>;
  /** Runs until `signal` is aborted or the attack is complete. May return figures to print. */
  readonly run: (attacker: Attacker) => Promise<Figures | undefined>;
  /**
   * Texts in the attack's statements, such as the id of its datagrid. Unless latencies are measured,
   * these statements do not end before the victim's requests have.
   */
  readonly held?: () => readonly string[];
  /**
   * Statements that the attack may have in progress on one instance. The default is a fifth of the main
   * pool and of that for queries: smaller ones are for texts that only statements with a limit have.
   */
  readonly maxStatements?: number;
  /** Number of instances, from the first on, that the attack uses. The default is all. */
  readonly instances?: number;
  /** Whether the attack has begun. Unless latencies are measured, the victim's requests wait for it. */
  readonly hasBegun?: () => boolean;
  /** Whether all its requests may end before those of the victim, such as rejected ones. */
  readonly mayEndFirst?: boolean;
}

/** Returns the id of the datagrid at a path. */
export const idOf = (path: string): string => path.replace('/datagrids/', '');

/** Creates an attacking account, whose limits are not used yet. */
export async function newAttacker(
  databaseUrl: string,
  origins: readonly string[],
  signal: AbortSignal,
  isSingle = false,
): Promise<Attacker> {
  const owner = await newOwner(databaseUrl);
  const originOf = (instance: number): string => origins[instance] ?? '';
  return {
    ...owner,
    origins,
    api: (instance) => new ApiClient(originOf(instance), owner.key),
    attack: (instance, key = owner.key) => new AttackClient(originOf(instance), key),
    newKeys: async (count, access) => {
      const keys = await newKeys(databaseUrl, owner.email, count, access);
      return keys.map(({ key }) => key);
    },
    signal,
    pending: { count: 0 },
    isSingle,
  };
}

/** Responses that ask the client to come back later, without saying when. */
export const WITHOUT_RETRY_AFTER = 'rejected without Retry-After';

/** Repeats `call` in `clients` loops until the attack ends. @returns the number of each status. */
export async function hammer(
  { signal, pending, isSingle }: Attacker,
  clients: number,
  call: (
    client: number,
    turn: number,
  ) => Promise<{ readonly status: number; readonly headers: Headers }>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const send = async (client: number, turn: number): Promise<void> => {
    pending.count += 1;
    const response = await call(client, turn).catch(() => ({ status: 0, headers: new Headers() }));
    pending.count -= 1;
    const { status, headers } = response;
    count(`status ${String(status)}`);
    const isRejected = status === 429 || status === 503;
    if (isRejected && !headers.has('retry-after')) count(WITHOUT_RETRY_AFTER);
    // Without a pause, rejected clients would use all CPU time for rejections.
    if (status === 0 || isRejected) await delay(REJECTED_PAUSE_MS);
  };
  const loop = async (client: number): Promise<void> => {
    for (let turn = 0; turn === 0 || !(isSingle || signal.aborted); turn += 1) {
      await send(client, turn);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  return counts;
}

const REJECTED_PAUSE_MS = 20;
