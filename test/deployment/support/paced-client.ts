import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type Answer } from '../../support/api-client';

/** Somebody else may use the key at the same time, and a test sends up to eight calls at once. */
const LEFT_FOR_OTHERS = 11;
const ATTEMPTS = 5;

/** Keeps to the limit that the deployment tells of: waits before the limit is used up. */
export class PacedClient extends ApiClient {
  override async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await super.send(method, path, body, headers);
      const seconds = waitSeconds(answer);
      if (seconds > 0) await delay(seconds * 1000);
      if (answer.status !== 429 || attempt === ATTEMPTS) return answer;
    }
  }
}

/** How long to wait before the next call. */
function waitSeconds({ status, headers }: Answer): number {
  if (status === 429) return Number(headers.get('retry-after') ?? 1);
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  return left !== undefined && Number(left) <= LEFT_FOR_OTHERS ? Number(seconds) : 0;
}
