import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import {
  ApiErrors,
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { ConnectionId, ScheduledImportId, WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { IgnoreIdempotencyKey } from '../platform/idempotency/claim';
import { PreviewDto, PreviewRequestDto } from './dto/preview.dto';
import {
  CreateScheduledImportDto,
  ScheduledImportDto,
  ScheduledImportRunDto,
  UpdateScheduledImportDto,
} from './dto/scheduled-import.dto';
import { PreviewService } from './preview.service';
import { ScheduledImportService } from './scheduled-import.service';

@PublicApiController('workspaces/:workspaceId/connections/:connectionId/imports')
export class ScheduledImportController {
  constructor(
    private readonly imports: ScheduledImportService,
    private readonly previews: PreviewService,
  ) {}

  /**
   * Create a scheduled import
   *
   * @remarks Reads a query or a table of the connection into a datagrid, by key, on a schedule or by
   * request.
   */
  @Post()
  @RequirePermission('connections:write')
  @ApiOneResponse(201, ScheduledImportDto)
  @ApiErrors('not_found', 'quota_exceeded', 'conflict')
  create(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @JsonBody(CreateScheduledImportDto) body: CreateScheduledImportDto,
  ): Promise<JsonResponse<ScheduledImportDto>> {
    return this.imports.create({ accountId: caller.accountId, workspaceId, id }, body, caller);
  }

  /**
   * Preview a scheduled import
   *
   * @remarks Runs a query and returns its columns, with types, and up to 20 rows, without writing
   * anything. A failed query is a result with the status 200. An `Idempotency-Key` has no effect.
   */
  @Post('preview')
  @RequirePermission('connections:write')
  @EnterGateInService()
  @IgnoreIdempotencyKey()
  @ApiOneResponse(200, PreviewDto)
  @ApiErrors('not_found')
  preview(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @JsonBody(PreviewRequestDto) body: PreviewRequestDto,
  ): Promise<PreviewDto> {
    return this.previews.preview({ accountId: caller.accountId, workspaceId, id }, body, caller);
  }

  /**
   * List scheduled imports
   *
   * @remarks Returns one page of the connection's scheduled imports, oldest first. Those into datagrids in
   * the trash are not listed.
   */
  @Get()
  @RequirePermission('connections:read')
  @ApiPageResponse(ScheduledImportDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ScheduledImportDto[]>> {
    return this.imports.list({ accountId, workspaceId, id }, page);
  }

  /**
   * Get a scheduled import
   *
   * @remarks Returns one scheduled import with its health.
   */
  @Get(':scheduledImportId')
  @RequirePermission('connections:read')
  @ApiOneResponse(200, ScheduledImportDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @ScheduledImportId() scheduledImportId: string,
  ): Promise<JsonResponse<ScheduledImportDto>> {
    return this.imports.get({ accountId, workspaceId, id, scheduledImportId });
  }

  /**
   * Update a scheduled import
   *
   * @remarks Changes the properties that you send and keeps the others. A run in progress ends, unless only
   * the name changes; with a schedule, the next one begins at once. `If-Match` is not affected by changes
   * of the health.
   */
  @Patch(':scheduledImportId')
  @RequirePermission('connections:write')
  @ApiOneResponse(200, ScheduledImportDto)
  @ApiErrors('not_found', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @ScheduledImportId() scheduledImportId: string,
    @JsonBody(UpdateScheduledImportDto) body: UpdateScheduledImportDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<ScheduledImportDto>> {
    const { accountId } = caller;
    const ref = { accountId, workspaceId, id, scheduledImportId };
    return this.imports.update(ref, body, ifMatch, caller);
  }

  /**
   * Delete a scheduled import
   *
   * @remarks Deletes the scheduled import with its runs. The rows that it has written stay.
   */
  @Delete(':scheduledImportId')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @ScheduledImportId() scheduledImportId: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    const { accountId } = caller;
    return this.imports.delete({ accountId, workspaceId, id, scheduledImportId }, ifMatch, caller);
  }

  /**
   * Run a scheduled import
   *
   * @remarks Requests a run, which begins as soon as a slot is free, and the import and the connection are
   * enabled. During a run, requests another one that follows it. More than 6 requests in a minute return
   * 429.
   */
  @Post(':scheduledImportId/run')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  run(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @ScheduledImportId() scheduledImportId: string,
  ): Promise<void> {
    return this.imports.request({ accountId, workspaceId, id, scheduledImportId });
  }
}

@PublicApiController(
  'workspaces/:workspaceId/connections/:connectionId/imports/:scheduledImportId/runs',
)
export class ScheduledImportRunController {
  constructor(private readonly imports: ScheduledImportService) {}

  /**
   * List runs of a scheduled import
   *
   * @remarks Returns one page of the runs that have ended, newest first.
   */
  @Get()
  @RequirePermission('connections:read')
  @ApiPageResponse(ScheduledImportRunDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @ScheduledImportId() scheduledImportId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ScheduledImportRunDto[]>> {
    return this.imports.listRuns({ accountId, workspaceId, id, scheduledImportId }, page);
  }
}
