import { Delete, Get, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequireRecentSignIn, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import type { NewKeyView, RotatedKeyView } from '../key/console-key.service';
import { CreateKeyDto, RotateKeyDto } from '../key/key.dto';
import { ConsoleController, Id, KeyId } from '../path-parameters';
import type { UserView } from '../user/console-user.service';
import { CreateServiceAccountDto } from './service-account.dto';
import { ServiceAccountService } from './service-account.service';

@ConsoleController('service-accounts')
export class ServiceAccountController {
  constructor(private readonly accounts: ServiceAccountService) {}

  @Post()
  @RequireRecentSignIn()
  @RequireSession('users:write')
  create(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CreateServiceAccountDto) body: CreateServiceAccountDto,
  ): Promise<UserView> {
    return this.accounts.create(caller, body);
  }

  @Get(':id/keys')
  @RequireSession('users:read')
  listKeys(@CurrentCaller() caller: Caller, @Id() id: string): Promise<JsonResponse> {
    return this.accounts.listKeys(caller, id);
  }

  @Post(':id/keys')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  createKey(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(CreateKeyDto) body: CreateKeyDto,
  ): Promise<NewKeyView> {
    return this.accounts.createKey(caller, id, body);
  }

  @Delete(':id/keys/:keyId')
  @RequireSession('users:write')
  revokeKey(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @KeyId() keyId: string,
  ): Promise<void> {
    return this.accounts.revokeKey(caller, id, keyId);
  }

  @Post(':id/keys/:keyId/rotation')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  rotateKey(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @KeyId() keyId: string,
    @SmallJsonBody(RotateKeyDto) body: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    return this.accounts.rotateKey(caller, id, keyId, body);
  }
}
