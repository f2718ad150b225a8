import { Injectable } from '@nestjs/common';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { notFound } from '../../common/error/app-error';
import {
  ConsoleKeyService,
  type NewKeyView,
  type RotatedKeyView,
} from '../key/console-key.service';
import type { CreateKeyDto, RotateKeyDto } from '../key/key.dto';
import { NO_CREDENTIALS, type UserView, userView } from '../user/console-user.service';
import type { CreateServiceAccountDto } from './service-account.dto';

/**
 * Service accounts and their keys, for the owners of the account. The keys of people are not found:
 * only they manage them.
 */
@Injectable()
export class ServiceAccountService {
  constructor(
    private readonly users: UserService,
    private readonly keys: ConsoleKeyService,
  ) {}

  /** @throws AppError `conflict` if the name is taken; `quota_exceeded`. */
  async create(caller: Caller, { name, role }: CreateServiceAccountDto): Promise<UserView> {
    const user = await this.users.createService(caller.accountId, name, role, caller);
    return userView(user, NO_CREDENTIALS, []);
  }

  /** Lists all keys of a service account, newest first. @throws AppError `not_found` */
  async listKeys(caller: Caller, id: string): Promise<JsonResponse> {
    return this.keys.list(await this.find(caller, id));
  }

  /** @throws AppError `not_found`; others as `ConsoleKeyService.create` */
  async createKey(caller: Caller, id: string, body: CreateKeyDto): Promise<NewKeyView> {
    return this.keys.create(await this.find(caller, id), body, caller);
  }

  /** @throws AppError `not_found` */
  async revokeKey(caller: Caller, id: string, keyId: string): Promise<void> {
    await this.keys.revoke(await this.find(caller, id), keyId, caller);
  }

  /** @throws AppError `not_found`; others as `ConsoleKeyService.rotate` */
  async rotateKey(
    caller: Caller,
    id: string,
    keyId: string,
    body: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    return this.keys.rotate(await this.find(caller, id), keyId, body, caller);
  }

  /** Returns the id of a service account of the caller's account. @throws AppError `not_found` */
  private async find({ accountId }: Caller, id: string): Promise<string> {
    const user = await this.users.getIn(accountId, id);
    if (!user.isService) throw notFound();
    return user.id;
  }
}
