import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { LiveResponse } from '../platform/http/live-response';
import type { CountedResponse } from '../platform/load/load';
import { type ChangePosition, decodeChangeCursor, encodeChangeCursor } from './change-cursor';
import { ChangePageService } from './change-page.service';
import type { ChangeRequest } from './change-request';
import { ChangeWatch } from './change-watch';
import type { Feed } from './feed';
import { LiveFeed } from './live-feed';

/**
 * Returns the changes of a datagrid as pages, which may wait for changes, or as streams. The methods
 * throw the errors of `LiveFeed`.
 */
@Injectable()
export class ChangeService {
  constructor(
    private readonly pages: ChangePageService,
    private readonly watch: ChangeWatch,
    private readonly feeds: LiveFeed,
  ) {}

  page(
    caller: Caller,
    datagridId: string,
    request: ChangeRequest,
    response: Response & CountedResponse,
  ): Promise<JsonResponse> {
    return this.feeds.page(caller, this.feed(caller, datagridId, request), request, response);
  }

  events(caller: Caller, datagridId: string, request: ChangeRequest): LiveResponse {
    return this.feeds.events(caller, this.feed(caller, datagridId, request), request);
  }

  lines(caller: Caller, datagridId: string, request: ChangeRequest): LiveResponse {
    return this.feeds.lines(caller, this.feed(caller, datagridId, request), request);
  }

  private feed(
    { accountId }: Caller,
    datagridId: string,
    { hasOrigins }: ChangeRequest,
  ): Feed<ChangePosition> {
    return {
      accountId,
      id: datagridId,
      form: hasOrigins ? 'origins' : '',
      permission: 'rows:read',
      watch: this.watch.datagrids,
      read: (start, limit, separator) =>
        this.pages.read(accountId, datagridId, start, { limit, separator, hasOrigins }),
      stateAt: ({ revision }) => revision,
      encodeCursor: (position) => encodeChangeCursor(datagridId, position),
      decodeCursor: (cursor) => decodeChangeCursor(datagridId, cursor),
    };
  }
}
