import type { ServerResponse } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type AppRequest, type KeyCaller, routeOf } from '../../common/caller/app-request';
import { BackgroundService } from '../../platform/background/background-service';
import { AppConfig } from '../../platform/config/app-config';
import { PUBLIC_API } from '../../platform/http/access';
import { Logger } from '../../platform/logging/logger';
import {
  type KeyRequestFilter,
  type KeyRequestRecord,
  KeyRequestRepository,
  type LeftOut,
} from './key-request.repository';
import { identified, RequestBuffer } from './request-buffer';

const WRITE_EVERY_MS = 5_000;

/** Requests of one statement. To prepare more of them would block the event loop for milliseconds. */
const BATCH_REQUESTS = 100;

export interface KeyRequestPage {
  readonly requests: readonly KeyRequestRecord[];
  /** Cursor of the next page; `null` on the last one. */
  readonly nextCursor: string | null;
  readonly leftOut: LeftOut;
}

/**
 * The request log of an account: the requests that were sent with its API keys. Requests are buffered in
 * memory and written every few seconds, so that a request costs one object. If the process is killed,
 * the last seconds of the log are lost.
 */
@Injectable()
export class KeyRequestService extends BackgroundService implements OnApplicationShutdown {
  private readonly buffer = new RequestBuffer();
  private writtenAccounts = new Set<string>();
  private readonly isOn: boolean;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: KeyRequestRepository,
    logger: Logger,
  ) {
    super({ name: 'request log write', pauseMs: WRITE_EVERY_MS, logger });
    this.isOn = config.requestLogRetentionDays > 0;
  }

  /** Writes the rest after the last response and before the database connections close. */
  async onApplicationShutdown(): Promise<void> {
    await this.run().catch(this.reportFailure);
  }

  /** Records a finished request that was sent with a key. */
  record(
    caller: KeyCaller,
    request: AppRequest,
    response: ServerResponse,
    durationMs: number,
  ): void {
    if (!this.isOn) return;
    const atMs = Math.floor(Date.now() - durationMs);
    if (this.buffer.countIfFull(caller, atMs)) return;
    this.buffer.add({
      atMs,
      caller,
      method: request.method,
      route: patternOf(request),
      status: response.headersSent ? response.statusCode : null,
      durationMs,
      requestId: request.requestId,
      errorCode: request.errorCode ?? null,
      aborted: !response.writableFinished,
    });
  }

  /**
   * Returns a page of an account's requests, newest first.
   * @param cursor `nextCursor` of the previous page.
   */
  async list(
    accountId: string,
    filter: KeyRequestFilter,
    cursor: string | null,
    limit: number,
  ): Promise<KeyRequestPage> {
    const days = this.config.requestLogRetentionDays;
    const position = { beforeId: cursor, days, limit: limit + 1 };
    const found = await this.repository.list(accountId, filter, position);
    const leftOut = await this.repository.countLeftOut(accountId, filter, days);
    const requests = found.slice(0, limit);
    const nextCursor = found.length > limit ? (requests.at(-1)?.id ?? null) : null;
    return { requests, nextCursor, leftOut };
  }

  /** Returns and forgets the accounts to which requests were added since the last call. */
  takeWrittenAccounts(): string[] {
    const accounts = [...this.writtenAccounts];
    this.writtenAccounts = new Set();
    return accounts;
  }

  /** Writes the buffered requests. @returns their number. */
  protected override async run(): Promise<number> {
    const { requests, gaps } = this.buffer.take();
    if (requests.length === 0 && gaps.length === 0) return 0;
    // The first batch has all gaps.
    for (let from = 0; from === 0 || from < requests.length; from += BATCH_REQUESTS) {
      const to = from + BATCH_REQUESTS;
      const batch = {
        requests: identified(requests.slice(from, to)),
        gaps: from === 0 ? gaps : [],
      };
      try {
        await this.repository.add(batch);
      } catch (error) {
        this.buffer.giveBack(batch);
        this.buffer.giveBack({ requests: requests.slice(to), gaps: [] });
        throw error;
      }
      for (const { caller } of batch.requests) this.writtenAccounts.add(caller.accountId);
    }
    return requests.length;
  }
}

const KNOWN_ROUTE = `/${PUBLIC_API}/`;
const MCP_ROUTE = '/mcp';

/** Returns the pattern of the route; `null` for those that match unknown paths. */
function patternOf(request: AppRequest): string | null {
  const route = routeOf(request) ?? '';
  if (route === MCP_ROUTE) return route;
  return route.startsWith(KNOWN_ROUTE) && !route.endsWith('{*path}') ? route : null;
}
