import { Get } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest, Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import {
  CurrentCaller,
  CurrentResponse,
  RequestHeaders,
  RequirePermission,
} from '../../platform/http/access';
import { EnterGateInService, PublicApiController } from '../../platform/routes/api-controller';
import { ApiErrors, ApiFeedResponse } from '../../platform/http/api-responses';
import { WorkspaceFeedMetaDto } from '../../platform/http/dto/page-meta.dto';
import type { LiveResponse } from '../../platform/http/live-response';
import { WorkspaceId } from '../../platform/http/path-id';
import { OwnParameters } from '../../platform/http/query';
import type { CountedResponse } from '../../platform/load/load';
import { changeForm, changeRequest, WORKSPACE_CHANGE_PARAMETERS } from '../change-request';
import { WorkspaceChangeDto } from '../dto/workspace-change.dto';
import { WorkspaceFeedService } from './workspace-feed.service';

/** The feed of a workspace: its datagrids that have changed. */
@PublicApiController('workspaces/:workspaceId/changes')
export class WorkspaceFeedController {
  constructor(private readonly feed: WorkspaceFeedService) {}

  /**
   * List changed datagrids
   *
   * @remarks Returns the datagrids of the workspace that have changed since a cursor: new rows,
   * columns, names and deletions. Read the changes of each with "List changes". Without a cursor,
   * the first pages have all datagrids. A page can also have datagrids that have not changed.
   * Continue with `meta.nextCursor` of each response, which never expires. With
   * `Accept: text/event-stream`, pages arrive as server-sent events as soon as something changes.
   * With `Accept: application/x-ndjson`, all pages arrive as one stream of lines.
   */
  @Get()
  @RequirePermission('datagrids:read')
  @EnterGateInService()
  @ApiFeedResponse(WorkspaceChangeDto, WorkspaceFeedMetaDto)
  @ApiErrors('not_found')
  listWorkspace(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @OwnParameters(...WORKSPACE_CHANGE_PARAMETERS) query: Record<string, unknown>,
    @RequestHeaders() headers: AppRequest['headers'],
    @CurrentResponse() response: Response & CountedResponse,
  ): Promise<JsonResponse | LiveResponse> | LiveResponse {
    const request = changeRequest(query, headers['last-event-id']);
    switch (changeForm(headers.accept)) {
      case 'events':
        return this.feed.events(caller, workspaceId, request);
      case 'lines':
        return this.feed.lines(caller, workspaceId, request);
      case 'page':
        return this.feed.page(caller, workspaceId, request, response);
    }
  }
}
