import { Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/caller';
import type { BareJson } from '../../common/envelope/bare-json';
import { RequireSession } from '../../platform/http/access';
import { CurrentCaller } from '../../platform/http/current-caller';
import { OwnParameters } from '../../platform/http/query';
import { ConsoleController } from '../console-controller';
import { ConsoleAuditService } from './console-audit.service';

@ConsoleController('audit')
export class AuditController {
  constructor(private readonly audit: ConsoleAuditService) {}

  @Get()
  @RequireSession('audit:read')
  list(
    @CurrentCaller() caller: Caller,
    @OwnParameters({ name: 'limit' }, { name: 'cursor' }) query: Record<string, unknown>,
  ): Promise<BareJson> {
    return this.audit.list(caller, query);
  }
}
