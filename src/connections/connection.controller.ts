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
import { ConnectionId, WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { IgnoreIdempotencyKey } from '../platform/idempotency/claim';
import { ConnectionTestService } from './connection-test.service';
import { ConnectionService } from './connection.service';
import {
  ConnectionDto,
  CreateConnectionDto,
  TestResultDto,
  TestSettingsDto,
  UpdateConnectionDto,
} from './dto/connection.dto';

@PublicApiController('workspaces/:workspaceId/connections')
export class ConnectionController {
  constructor(
    private readonly connections: ConnectionService,
    private readonly tests: ConnectionTestService,
  ) {}

  /**
   * Create a connection
   *
   * @remarks Creates a connection that copies datagrids of the workspace into a destination and keeps the
   * copies in sync.
   */
  @Post()
  @RequirePermission('connections:write')
  @ApiOneResponse(201, ConnectionDto)
  @ApiErrors('not_found', 'quota_exceeded')
  create(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(CreateConnectionDto) body: CreateConnectionDto,
  ): Promise<JsonResponse<ConnectionDto>> {
    return this.connections.create(caller.accountId, workspaceId, body, caller);
  }

  /**
   * Test a destination
   *
   * @remarks Connects to a destination and checks the rights that a sync needs, without saving anything.
   * A failed test is a result with the status 200. An `Idempotency-Key` has no effect.
   */
  @Post('test')
  @RequirePermission('connections:write')
  @EnterGateInService()
  @IgnoreIdempotencyKey()
  @ApiOneResponse(200, TestResultDto)
  @ApiErrors('not_found')
  testSettings(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(TestSettingsDto) body: TestSettingsDto,
  ): Promise<TestResultDto> {
    return this.tests.testSettings(caller.accountId, workspaceId, body, caller);
  }

  /**
   * List connections
   *
   * @remarks Returns one page of the workspace's connections, oldest first.
   */
  @Get()
  @RequirePermission('connections:read')
  @ApiPageResponse(ConnectionDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<ConnectionDto[]>> {
    return this.connections.list(caller.accountId, workspaceId, page);
  }

  /**
   * Get a connection
   *
   * @remarks Returns one connection with its health.
   */
  @Get(':connectionId')
  @RequirePermission('connections:read')
  @ApiOneResponse(200, ConnectionDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
  ): Promise<JsonResponse<ConnectionDto>> {
    return this.connections.get({ accountId, workspaceId, id });
  }

  /**
   * Update a connection
   *
   * @remarks Changes the properties that you send and keeps the others. `If-Match` is not affected by
   * changes of the health. With `enabled`, a connection is paused, or resumes where it stopped.
   */
  @Patch(':connectionId')
  @RequirePermission('connections:write')
  @ApiOneResponse(200, ConnectionDto)
  @ApiErrors('not_found', 'quota_exceeded', 'conflict')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @JsonBody(UpdateConnectionDto) body: UpdateConnectionDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<ConnectionDto>> {
    const { accountId } = caller;
    return this.connections.update({ accountId, workspaceId, id }, body, ifMatch, caller);
  }

  /**
   * Delete a connection
   *
   * @remarks Deletes the connection with its runs. Its tables stay in the destination.
   */
  @Delete(':connectionId')
  @RequirePermission('connections:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    const { accountId } = caller;
    return this.connections.delete({ accountId, workspaceId, id }, ifMatch, caller);
  }

  /**
   * Test a connection
   *
   * @remarks Connects to the destination of a saved connection and checks the rights that a sync needs. A
   * failed test is a result with the status 200. An `Idempotency-Key` has no effect.
   */
  @Post(':connectionId/test')
  @RequirePermission('connections:write')
  @EnterGateInService()
  @IgnoreIdempotencyKey()
  @ApiOneResponse(200, TestResultDto)
  @ApiErrors('not_found')
  test(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @ConnectionId() id: string,
  ): Promise<TestResultDto> {
    return this.tests.test({ accountId, workspaceId, id });
  }
}
