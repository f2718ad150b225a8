import { Inject, Injectable } from '@nestjs/common';
import { accountShareUsed, unavailable } from '../../common/error/app-error';
import { call, ChannelClosedError, Supervisor } from '../workers/supervisor';
import { AccountActivity } from './account-activity';
import { AccountByteCounter } from './account-cache';
import {
  type AccountPermits,
  AccountSemaphore,
  type Release,
  type SemaphoreBounds,
  type SemaphoreMessages,
} from './account-semaphore';

/** Names a permit that a worker acquires, and the semaphore, which is created on its first use. */
export interface PermitRequest {
  /** Chosen by the worker, to release the permit. */
  readonly permit: number;
  readonly semaphore: string;
  readonly bounds: SemaphoreBounds;
  readonly accountId: string;
  /** Maximum wait in milliseconds; `null` to not wait at all. */
  readonly timeoutMs: number | null;
}

/** Whether a permit was acquired. If not, whether the account or all have used their share. */
export type PermitResult = 'acquired' | 'account' | 'full';

export interface BytesRequest {
  readonly counter: string;
  readonly maxBytes: number;
  readonly accountId: string;
  readonly bytes: number;
}

/** Workers acquire permits of their instance at their supervisor. */
export const ACQUIRE = call<PermitRequest, PermitResult>('acquire');
export const RELEASE = call<{ readonly permit: number }>('release');
/** Workers count bytes of their instance there. The response is whether there is room for them. */
export const ADD_BYTES = call<BytesRequest, boolean>('add-bytes');
export const REMOVE_BYTES = call<BytesRequest>('remove-bytes');

/** Limits bytes in use, in total and per account. */
export interface AccountBytes {
  /** @returns whether there is room for `bytes` more. If not, none are counted. */
  tryAdd(accountId: string, bytes: number): boolean | Promise<boolean>;
  remove(accountId: string, bytes: number): void;
}

/**
 * Creates limits of an instance. If the instance has several workers, its supervisor counts for all of
 * them. For limits of few, long uses: a call to the supervisor takes some tenths of a millisecond.
 */
@Injectable()
export class InstanceLimits {
  private permits = 0;

  constructor(
    @Inject(Supervisor) private readonly supervisor: Supervisor | null,
    private readonly activity: AccountActivity,
  ) {}

  /** @param name Name of the resource. Each has its own permits. */
  semaphore(name: string, bounds: SemaphoreBounds, messages: SemaphoreMessages): AccountPermits {
    if (!this.supervisor)
      return new AccountSemaphore(bounds, messages, { activity: this.activity });
    const { channel } = this.supervisor;
    const acquire = async (accountId: string, timeoutMs: number | null): Promise<Release> => {
      this.permits += 1;
      const permit = this.permits;
      const request = { permit, semaphore: name, bounds, accountId, timeoutMs };
      const result = await channel.call(ACQUIRE, request).catch((error: unknown) => {
        // This worker stops without its supervisor.
        if (error instanceof ChannelClosedError) return 'full' as const;
        throw error;
      });
      if (result === 'account') throw accountShareUsed(messages.accountFull);
      if (result === 'full') throw unavailable(messages.full);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        channel.tell(RELEASE, { permit });
      };
    };
    return { acquireNow: (accountId) => acquire(accountId, null), acquire };
  }

  /** @param name Name of the resource. Each has its own count. */
  bytes(name: string, maxBytes: number): AccountBytes {
    if (!this.supervisor) return new AccountByteCounter(maxBytes);
    const { channel } = this.supervisor;
    const counter = { counter: name, maxBytes };
    return {
      tryAdd: (accountId, bytes) => channel.call(ADD_BYTES, { ...counter, accountId, bytes }),
      remove: (accountId, bytes) => {
        if (bytes > 0) channel.tell(REMOVE_BYTES, { ...counter, accountId, bytes });
      },
    };
  }
}
