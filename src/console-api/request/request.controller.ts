import { Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequireSession } from '../../platform/http/access';
import { OwnParameters } from '../../platform/http/query';
import { ConsoleController } from '../path-parameters';
import { ConsoleRequestService } from './console-request.service';

@ConsoleController('requests')
export class RequestController {
  constructor(private readonly requests: ConsoleRequestService) {}

  @Get()
  @RequireSession('self:read')
  list(
    @CurrentCaller() caller: Caller,
    @OwnParameters(
      { name: 'limit' },
      { name: 'cursor' },
      { name: 'key' },
      { name: 'status' },
      { name: 'method' },
    )
    query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.requests.list(caller, query);
  }
}
