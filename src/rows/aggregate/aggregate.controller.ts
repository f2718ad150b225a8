import { Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequirePermission } from '../../platform/http/access';
import { EnterGateInService, PublicApiController } from '../../platform/routes/api-controller';
import { ApiErrors, ApiListResponse } from '../../platform/http/api-responses';
import { JsonBody } from '../../platform/http/json-body';
import { DatagridId } from '../../platform/http/path-id';
import { AllowStale } from '../../platform/http/allow-stale';
import { AggregateService } from './aggregate.service';
import { AggregateRowsDto, RowGroupDto } from './dto/aggregate.dto';

@PublicApiController('datagrids/:datagridId/rows', 'datagrids/:datagridId/records')
export class RowAggregateController {
  constructor(private readonly aggregates: AggregateService) {}

  /**
   * Aggregate rows
   *
   * @remarks Groups the rows that match by up to three columns, and returns counts, sums, averages,
   * minimums and maximums of each group, from one snapshot. Without `groupBy`, all rows are one
   * group. It is a read: `Idempotency-Key` is ignored. If it costs too much or takes too long, it
   * returns 400 with the code `query_too_expensive`.
   */
  @Post('aggregate')
  @RequirePermission('rows:read')
  @AllowStale()
  @EnterGateInService()
  @ApiListResponse(RowGroupDto)
  @ApiErrors('not_found', 'query_too_expensive')
  aggregate(
    @CurrentCaller() caller: Caller,
    @DatagridId() datagridId: string,
    @JsonBody(AggregateRowsDto) body: AggregateRowsDto,
  ): Promise<JsonResponse> {
    return this.aggregates.aggregate(caller, datagridId, body);
  }
}
