import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type ApiResponse } from '../../support/api-client';

/** Reserve for concurrent requests: a test sends up to eight, and others may use the key too. */
const RESERVED_REQUESTS = 11;
const ATTEMPTS = 5;

/** Respects the rate limit that the deployment reports, and waits before it is exceeded. */
export class PacedClient extends ApiClient {
  override async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await super.send(method, path, body, headers);
      const seconds = waitSeconds(response);
      if (seconds > 0) await delay(seconds * 1000);
      if (response.status !== 429 || attempt === ATTEMPTS) return response;
    }
  }
}

/** Returns the time to wait before the next request. */
function waitSeconds({ status, headers }: ApiResponse): number {
  if (status === 429) return Number(headers.get('retry-after') ?? 1);
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  return left !== undefined && Number(left) <= RESERVED_REQUESTS ? Number(seconds) : 0;
}
