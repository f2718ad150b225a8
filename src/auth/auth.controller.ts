import { Get } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiOneResponse } from '../platform/http/api-responses';
import { AuthService } from './auth.service';
import { MeDto } from './dto/me.dto';

@PublicApiController('me')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /**
   * Get the current key
   *
   * @remarks Returns the API key of the request, its owner and account, the role that determines
   * its permissions, and its rate limits. Use it to check a key.
   */
  @Get()
  @RequirePermission('self:read')
  @ApiOneResponse(200, MeDto)
  me(@CurrentCaller() caller: Caller): Promise<MeDto> {
    return this.auth.describe(caller);
  }
}
