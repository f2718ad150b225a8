import { Get, Put } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import { CurrentCaller, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import { SecurityDto } from './security.dto';
import { SecurityService, type SecurityView } from './security.service';

/** How the users of the account sign in, for its owners. */
@ConsoleController('security')
export class SecurityController {
  constructor(private readonly security: SecurityService) {}

  @Get()
  @RequireSession('users:read')
  get(@CurrentCaller() caller: Caller): Promise<SecurityView> {
    return this.security.get(caller);
  }

  @Put()
  @RequireSession('users:write')
  @EnterGateInService()
  set(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(SecurityDto) body: SecurityDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SecurityView> {
    return this.security.set(caller, body, visit);
  }
}
