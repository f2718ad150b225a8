import { Get } from '@nestjs/common';
import type { Caller } from '../common/caller/caller';
import { RequirePermission } from '../platform/http/access';
import { ApiOneResponse } from '../platform/http/answers';
import { CurrentCaller } from '../platform/http/current-caller';
import { PublicApiController } from '../platform/http/public-api';
import { AuthService } from './auth.service';
import { MeDto } from './dto/me.dto';

@PublicApiController('me')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Tell whose key this is, its role, expiry and limits. */
  @Get()
  @RequirePermission('self:read')
  @ApiOneResponse(200, MeDto)
  me(@CurrentCaller() caller: Caller): Promise<MeDto> {
    return this.auth.describe(caller);
  }
}
