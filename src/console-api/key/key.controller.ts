import { Delete, Get, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequireRecentSignIn, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { OwnParameters } from '../../platform/http/query';
import { ConsoleController, Id } from '../path-parameters';
import {
  ConsoleKeyService,
  type KeyUsage,
  type NewKeyView,
  type RotatedKeyView,
} from './console-key.service';
import { CreateKeyDto, RotateKeyDto } from './key.dto';

@ConsoleController('keys')
export class KeyController {
  constructor(private readonly keys: ConsoleKeyService) {}

  @Get()
  @RequireSession('self:read')
  list(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.keys.list(caller.userId);
  }

  @Post()
  @RequireRecentSignIn()
  @RequireSession('self:write')
  create(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CreateKeyDto) body: CreateKeyDto,
  ): Promise<NewKeyView> {
    return this.keys.create(caller.userId, body, caller);
  }

  @Delete(':id')
  @RequireSession('self:write')
  revoke(@CurrentCaller() caller: Caller, @Id() id: string): Promise<void> {
    return this.keys.revoke(caller.userId, id, caller);
  }

  @Get(':id/usage')
  @RequireSession('self:read')
  usage(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @OwnParameters({ name: 'days' }) query: Record<string, unknown>,
  ): Promise<KeyUsage> {
    return this.keys.usage(caller.userId, id, query);
  }

  @Post(':id/rotation')
  @RequireRecentSignIn()
  @RequireSession('self:write')
  rotate(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(RotateKeyDto) body: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    return this.keys.rotate(caller.userId, id, body, caller);
  }
}
