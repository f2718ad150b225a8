import type { AppConfig } from '../config/app-config';
import {
  AccountSemaphore,
  type Cooldown,
  type SemaphoreContext,
  type SemaphoreMessages,
} from './account-semaphore';

/** Settings that are numbers, as properties of `AppConfig`. */
export type NumericSetting = {
  [Name in keyof AppConfig]-?: AppConfig[Name] extends number ? Name : never;
}[keyof AppConfig];

/** A number, or a multiple or a part of a setting. */
export type Amount<S> = number | SettingAmount<S>;

/** Value of a setting times `times`, rounded down, at least one. */
interface SettingAmount<S> {
  readonly setting: S;
  /** The default is one. */
  readonly times?: number;
  /** Whether one is left for other work, if there are at least `MIN_RESERVING`. */
  readonly reservesOne?: boolean;
}

/** Minimum value of a setting of which one is reserved. */
export const MIN_RESERVING = 4;

/**
 * Permits of one account: a number, all, or a part of what the setting or the total is. A part is
 * rounded down, is at least one, and leaves at least one permit for others.
 */
export type Share = number | 'all' | { readonly part: number; readonly atLeast?: number };

/** Share of an account for which no other is declared: half leaves room for others. */
export const HALF = { part: 1 / 2 } as const satisfies Share;

/** Number of calls of an account in a window of time. */
interface RateLimit<S> {
  /** Name of the counter. */
  readonly policy: string;
  readonly setting: S;
  readonly windowSeconds: number;
  /** Public error message of the 429. */
  readonly tooMany: string;
}

/**
 * Limit of a resource that accounts share. The semaphore of the resource and its row in the documents
 * are created from it.
 */
export interface Limit<S extends NumericSetting = NumericSetting> {
  /** Name of the resource in the documents. */
  readonly resource: string;
  /** Permits of an instance. */
  readonly total: Amount<S>;
  /** Permits of an account. The default is `HALF`. */
  readonly perAccount?: Share;
  /** Permits of an account while other accounts are active, if fewer. */
  readonly perActiveAccount?: Share;
  readonly cooldown?: Cooldown;
  /** Callers that may wait for a permit. If missing, a caller without one is rejected at once. */
  readonly waiting?: {
    readonly total: Amount<S>;
    /** The default is `HALF`. */
    readonly perAccount?: number;
    /** Maximum wait: milliseconds, or a setting, whose name ends with its unit. */
    readonly max: number | { readonly setting: S };
  };
  /** Limit of an account's calls, in addition. `CheckPermits` enforces it. */
  readonly rate?: RateLimit<S>;
  /** If missing, callers are never rejected, and wait with `acquireWhenFree`. */
  readonly messages?: SemaphoreMessages;
  /** What the documents say in addition about the share of an account. */
  readonly accountNote?: string;
  /** What the documents say in addition about callers without a permit. */
  readonly beyondNote?: string;
  /** Paths of the tests. */
  readonly tests: readonly string[];
}

/** Values of the settings that a limit names: an `AppConfig`, or a part of one. */
export type LimitSettings<S extends NumericSetting> = Readonly<Record<S, number>>;

/**
 * Creates the semaphore of a limit.
 * @param context Has `activity`, if the limit has `perActiveAccount` or `cooldown`.
 */
export function semaphoreOf<S extends NumericSetting = never>(
  limit: Limit<S>,
  settings: LimitSettings<S>,
  context: SemaphoreContext = {},
): AccountSemaphore {
  const { perAccount = HALF, perActiveAccount, cooldown, waiting, messages } = limit;
  const permits = numbersOf(limit.total, settings);
  const queue = numbersOf(waiting?.total ?? 0, settings);
  const bounds = {
    total: permits.total,
    perAccount: shareOf(perAccount, permits),
    ...(perActiveAccount !== undefined && { perActiveAccount: shareOf(perActiveAccount, permits) }),
    ...(cooldown && { cooldown }),
    maxWaiting: queue.total,
    maxWaitingPerAccount: shareOf(waiting?.perAccount ?? HALF, queue),
    maxWaitMs: waiting ? waitMs(waiting.max, settings) : 0,
  };
  return new AccountSemaphore(bounds, messages ?? { full: '', accountFull: '' }, context);
}

interface Numbers {
  /** Number of which a share is a part. */
  readonly whole: number;
  readonly total: number;
}

function numbersOf<S extends NumericSetting>(
  amount: Amount<S>,
  settings: LimitSettings<S>,
): Numbers {
  if (typeof amount === 'number') return { whole: amount, total: amount };
  const { setting, times, reservesOne = false } = amount;
  const value = settings[setting];
  const whole = times === undefined ? value : Math.max(1, Math.floor(value * times));
  return { whole, total: reservesOne && whole >= MIN_RESERVING ? whole - 1 : whole };
}

/** Returns the number of permits of one account. */
export function shareOf(share: Share, { whole, total }: Numbers): number {
  if (typeof share === 'number') return share;
  if (share === 'all') return total;
  const part = Math.max(Math.floor(whole * share.part), share.atLeast ?? 1);
  return Math.max(1, Math.min(part, total - 1));
}

function waitMs<S extends NumericSetting>(
  max: number | { readonly setting: S },
  settings: LimitSettings<S>,
): number {
  if (typeof max === 'number') return max;
  const value = settings[max.setting];
  return max.setting.endsWith('Seconds') ? value * 1_000 : value;
}
