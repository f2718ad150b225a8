import { Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequireSession } from '../../platform/http/access';
import { OwnParameters } from '../../platform/http/query';
import { ConsoleController } from '../path-parameters';
import { ConsoleAuditService } from './console-audit.service';

@ConsoleController('audit')
export class AuditController {
  constructor(private readonly audit: ConsoleAuditService) {}

  @Get()
  @RequireSession('audit:read')
  list(
    @CurrentCaller() caller: Caller,
    @OwnParameters({ name: 'limit' }, { name: 'cursor' }) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.audit.list(caller, query);
  }
}
