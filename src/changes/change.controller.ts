import { Get } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest, Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import {
  CurrentCaller,
  CurrentResponse,
  RequestHeaders,
  RequirePermission,
} from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import { ApiErrors, ApiFeedResponse } from '../platform/http/api-responses';
import type { LiveResponse } from '../platform/http/live-response';
import { DatagridId } from '../platform/http/path-id';
import { OwnParameters } from '../platform/http/query';
import type { CountedResponse } from '../platform/load/load';
import { CHANGE_PARAMETERS, changeForm, changeRequest } from './change-request';
import { ChangeService } from './change.service';
import { ChangeDto } from './dto/change.dto';

/** The feed of a datagrid: its rows and their changes. */
@PublicApiController('datagrids/:datagridId/changes')
export class ChangeController {
  constructor(private readonly changes: ChangeService) {}

  /**
   * List changes
   *
   * @remarks Returns the changes since a cursor, including deletions, in the order of the writes.
   * Without a cursor, the first pages have the columns and all rows. Continue with
   * `meta.nextCursor` of each response. `meta.upToDate` is true if you have read everything. With
   * `Accept: text/event-stream`, pages arrive as server-sent events as soon as something changes.
   * With `Accept: application/x-ndjson`, all pages arrive as one stream of lines. If changes after
   * the cursor are no longer available, the request returns 410: start over without a cursor.
   */
  @Get()
  @RequirePermission('rows:read')
  @EnterGateInService()
  @ApiFeedResponse(ChangeDto)
  @ApiErrors('not_found', 'cursor_expired')
  list(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @OwnParameters(...CHANGE_PARAMETERS) query: Record<string, unknown>,
    @RequestHeaders() headers: AppRequest['headers'],
    @CurrentResponse() response: Response & CountedResponse,
  ): Promise<JsonResponse | LiveResponse> | LiveResponse {
    const request = changeRequest(query, headers['last-event-id']);
    switch (changeForm(headers.accept)) {
      case 'events':
        return this.changes.events(caller, datagridId, request);
      case 'lines':
        return this.changes.lines(caller, datagridId, request);
      case 'page':
        return this.changes.page(caller, datagridId, request, response);
    }
  }
}
