import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../config/app-config';
import { setRateLimitHeaders } from './key-throttler.guard';
import type { RateCounter } from './rate-counter';
import { RateCounters } from './rate-counters';
import { type LimitName, ThrottlingMetrics } from './throttling-metrics';

/** Name, visibility and public message of a limit. */
export interface AddressPolicy {
  readonly name: LimitName;
  /**
   * Whether successful responses show the remaining requests. Not for files, because caches store
   * their headers.
   */
  readonly isShown: boolean;
  /** Public message of the 429 response. */
  readonly message: string;
}

/** Limits the requests of one client address, or of one IPv6 /64, in a window. */
export class AddressRateLimit {
  constructor(
    private readonly counter: RateCounter,
    private readonly policy: AddressPolicy,
    private readonly metrics: ThrottlingMetrics,
  ) {}

  /**
   * Counts one hit of `address`.
   * @throws AppError `rate_limited` if the address has reached its limit.
   */
  async count(address: string, response: Response): Promise<void> {
    const { name, isShown, message } = this.policy;
    const { limit, windowSeconds } = this.counter;
    const count = await this.counter.hit(addressGroup(address));
    if (isShown || !count.allowed) {
      setRateLimitHeaders(response, name, limit, windowSeconds, count);
    }
    if (count.allowed) return;
    this.metrics.rejected(name);
    throw new AppError('rate_limited', message, {
      headers: { 'Retry-After': String(count.resetSeconds) },
    });
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Returns the canonical form of an IPv6 address: in lower case, and with dots for mapped IPv4. */
function canonical(address: string): string {
  const [withoutZone = ''] = address.split('%');
  return new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
}

/** Returns the eight groups of a canonical IPv6 address. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return tail === undefined ? left : [...left, ...zeros, ...right];
}

/**
 * Returns the group that limits count an address in. An IPv4 address is its own group, also if it
 * is mapped into IPv6 in any notation. An IPv6 address belongs to its /64, which one customer
 * usually holds as a whole. Text that is not an address is returned unchanged.
 */
export function addressGroup(text: string): string {
  if (isIPv4(text) || !isIPv6(text)) return text;
  const address = canonical(text);
  const mapped = MAPPED.exec(address)?.[1];
  return mapped ?? `${ipv6Groups(address).slice(0, 4).join(':')}::/64`;
}

/** Limits failed authentication per client address. Requests with a valid key are not counted. */
@Injectable()
export class AddressFailures extends AddressRateLimit {
  constructor(
    { authFailureLimit, authFailureWindowSeconds }: AppConfig,
    counters: RateCounters,
    metrics: ThrottlingMetrics,
  ) {
    const policy = {
      name: 'auth-failures',
      isShown: true,
      message: 'Too many requests without a valid API key from this address. Retry later.',
    } as const;
    const counter = counters.create('address', authFailureLimit, authFailureWindowSeconds);
    super(counter, policy, metrics);
  }
}
