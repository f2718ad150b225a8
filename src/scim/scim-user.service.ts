import { Injectable } from '@nestjs/common';
import { isEmail } from 'class-validator';
import { type Actor, actorOfDirectory, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { SessionService } from '../auth/session/session.service';
import { type UserChange, UserService } from '../auth/user/user.service';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { onDuplicate } from '../platform/database/database-error';
import { ScimChanges } from './scim-changes';
import { inTime, invalidValue, notUnique, usedByRemoved } from './scim-error';
import { patched, readOperations } from './scim-patch';
import {
  emptyResponse,
  listResponse,
  type ResourcePage,
  resourceResponse,
  type ScimQuery,
  type ScimRequest,
  type Versioned,
  versioned,
} from './scim-request';
import { DEFAULT_ROLE, ScimRoleService } from './scim-role.service';
import {
  ENTERPRISE_SCHEMA,
  readResource,
  requireSmall,
  type Resource,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from './scim-schema';
import { type ScimUserRecord, ScimUserRepository } from './scim-user.repository';

/** Characters of `userName` and `externalId`. */
const MAX_NAME_LENGTH = 320;

/** Users of an account, for its directory. */
@Injectable()
export class ScimUserService {
  constructor(
    private readonly changes: ScimChanges,
    private readonly repository: ScimUserRepository,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly roles: ScimRoleService,
    private readonly audit: AuditService,
  ) {}

  async list(caller: Caller, { base, query }: ScimRequest): Promise<JsonResponse> {
    const { resources, total } = await this.page(caller, base, query);
    return listResponse(resources, total, query);
  }

  /** Returns a page of users. */
  async page({ accountId }: Caller, base: string, query: ScimQuery): Promise<ResourcePage> {
    const { filter, startIndex, count } = query;
    const { users, total } = await inTime(() =>
      this.repository.list(accountId, filter, startIndex - 1, count),
    );
    return { resources: users.map((user) => resourceOf(user, base).resource), total };
  }

  /** @throws AppError `not_found` */
  async get({ accountId }: Caller, id: string, request: ScimRequest): Promise<JsonResponse> {
    const user = await this.read(accountId, id);
    return resourceResponse(resourceOf(user, request.base), request.query);
  }

  /**
   * Creates a user, or takes over one who was invited by hand or removed before.
   * @throws AppError `invalid_request`; `conflict`; `quota_exceeded`
   */
  async create(caller: Caller, body: unknown, request: ScimRequest): Promise<JsonResponse> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    const wanted = wantedOf(readResource(body, USER_ATTRIBUTES));
    const { email, active = true } = wanted;
    const { id } = await this.changes.run(accountId, async () => {
      await this.users.lockEmail(email);
      const [found] = await this.repository.listNamed(accountId, wanted.userName, email);
      if (found && (found.isManaged || found.isService)) throw notUnique('userName');
      const user = found ?? (await this.users.create(accountId, email, DEFAULT_ROLE, by));
      if (found) await this.recordTakeover(accountId, found, by);
      await this.put(accountId, user.id, wanted, found ? null : DEFAULT_ROLE);
      const change = { ...(user.suspended === active && { suspended: !active }) };
      return { id: user.id, isAccessChanged: await this.change(accountId, user.id, change, by) };
    });
    const created = resourceOf(await this.read(accountId, id), request.base);
    return resourceResponse(created, request.query, 201);
  }

  /** @throws AppError `not_found`; `invalid_request`; `precondition_failed`; `conflict` */
  async replace(
    caller: Caller,
    id: string,
    body: unknown,
    request: ScimRequest,
  ): Promise<JsonResponse> {
    const sent = readResource(body, USER_ATTRIBUTES);
    // What does not say whether the user is active does not let in a suspended one.
    return this.update(caller, id, request, ({ suspended }) =>
      Promise.resolve({ active: !suspended, ...sent }),
    );
  }

  /** @throws as `replace` */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
    request: ScimRequest,
  ): Promise<JsonResponse> {
    const operations = readOperations(body);
    return this.update(caller, id, request, async (user) => {
      const before = attributesOf(user);
      const after = await patched(caller.accountId, before, operations, USER_ATTRIBUTES);
      return readResource(after, USER_ATTRIBUTES);
    });
  }

  /**
   * Suspends a user, ends their sessions and forgets what the directory has said about them.
   * @throws AppError `not_found`; `precondition_failed`; `conflict` for the last active owner.
   */
  async remove(caller: Caller, id: string, { ifMatch, base }: ScimRequest): Promise<JsonResponse> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    await this.changes.run(accountId, async () => {
      const user = await this.find(accountId, id);
      ifMatch.require(resourceOf(user, base).etag);
      await this.change(accountId, id, { suspended: true }, by);
      await this.repository.leaveGroups(accountId, id);
      await this.roles.apply(accountId, [id], by, auditTarget('user', id));
      await this.repository.delete(accountId, id);
      await this.sessions.endOthers(id, null);
      return { isAccessChanged: true };
    });
    return emptyResponse();
  }

  /** @param after Returns the user after the change. May take long: it runs before the lock. */
  private async update(
    caller: Caller,
    id: string,
    { base, query, ifMatch }: ScimRequest,
    after: (user: ScimUserRecord) => Promise<Resource>,
  ): Promise<JsonResponse> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    const known = await this.read(accountId, id);
    const { etag } = resourceOf(known, base);
    ifMatch.require(etag);
    const prepared = wantedOf(await after(known));
    await this.changes.run(accountId, async () => {
      const user = await this.find(accountId, id);
      const current = resourceOf(user, base).etag;
      ifMatch.require(current);
      // Another change may have come in between.
      const wanted = current === etag ? prepared : wantedOf(await after(user));
      const { email, active = !user.suspended } = wanted;
      const change = {
        ...(user.suspended === active && { suspended: !active }),
        ...(email !== user.email && { email }),
      };
      if (change.email !== undefined) await this.requireFree(accountId, id, email);
      if (!user.isManaged) await this.recordTakeover(accountId, user, by);
      await this.put(accountId, id, wanted, null);
      return { isAccessChanged: await this.change(accountId, id, change, by) };
    });
    const changed = resourceOf(await this.read(accountId, id), base);
    return resourceResponse(changed, query);
  }

  /** Locks an address, which nobody else may have. @throws AppError `conflict` */
  private async requireFree(accountId: string, id: string, email: string): Promise<void> {
    await this.users.lockEmail(email);
    const named = await this.repository.listNamed(accountId, email, email);
    const other = named.find((each) => each.hasEmail && each.id !== id);
    if (!other) return;
    const isRemoved = !other.isManaged && !other.isService && other.suspended;
    throw isRemoved ? usedByRemoved(other.id) : notUnique('userName');
  }

  private async recordTakeover(
    accountId: string,
    { id, email }: Pick<ScimUserRecord, 'id' | 'email'>,
    by: Actor,
  ): Promise<void> {
    const target = auditTarget('user', id, email);
    await this.audit.record(accountId, by, 'scim_user_taken_over', target);
  }

  private async change(
    accountId: string,
    id: string,
    change: UserChange,
    by: Actor,
  ): Promise<boolean> {
    if (Object.keys(change).length === 0) return false;
    await this.users.changeInTransaction(accountId, id, change, by);
    return true;
  }

  private async put(
    accountId: string,
    userId: string,
    { userName, externalId, attributes }: WantedUser,
    givenRole: typeof DEFAULT_ROLE | null,
  ): Promise<void> {
    await onDuplicate(
      'scim_users_user_name',
      () => notUnique('userName'),
      () => this.repository.put({ accountId, userId, userName, externalId, attributes, givenRole }),
    );
  }

  private async read(accountId: string, id: string): Promise<ScimUserRecord> {
    return this.changes.read(accountId, () => this.find(accountId, id));
  }

  /** Use with a permit of the database gate. */
  private async find(accountId: string, id: string): Promise<ScimUserRecord> {
    const user = isUuid(id) ? await this.repository.find(accountId, id) : null;
    if (!user) throw notFound('User');
    return user;
  }
}

/** A user as a directory wants them. */
interface WantedUser {
  readonly userName: string;
  readonly email: string;
  readonly externalId: string | null;
  readonly active?: boolean;
  readonly attributes: Resource;
}

/** @throws AppError `invalid_request` */
function wantedOf({ userName, externalId = null, active, ...attributes }: Resource): WantedUser {
  if (typeof userName !== 'string' || userName.trim() === '')
    throw invalidValue('userName', 'is required');
  for (const [name, value] of [
    ['userName', userName] as const,
    ['externalId', externalId] as const,
  ])
    if (typeof value === 'string' && value.length > MAX_NAME_LENGTH)
      throw invalidValue(name, `must have at most ${String(MAX_NAME_LENGTH)} characters`);
  requireSmall(attributes);
  return {
    ...{ userName, email: emailOf(userName, attributes['emails']), attributes },
    externalId: externalId as string | null,
    ...(typeof active === 'boolean' && { active }),
  };
}

/** Returns the address of a user: the name if it is one, or else the primary address. */
function emailOf(userName: string, emails: unknown): string {
  if (isEmail(userName)) return userName;
  const list = Array.isArray(emails) ? (emails as readonly Resource[]) : [];
  const { value } = list.find(({ primary }) => primary === true) ?? list[0] ?? {};
  if (typeof value === 'string' && isEmail(value)) return value;
  throw invalidValue('userName', 'must be an email address, or emails must have a primary one');
}

/** Returns what a directory can change of a user. */
function attributesOf(user: ScimUserRecord): Resource {
  const { email, externalId, attributes } = user;
  return {
    userName: user.userName ?? email,
    ...(externalId !== null && { externalId }),
    active: !user.suspended,
    ...(attributes ?? { emails: [{ value: email, type: 'work', primary: true }] }),
  };
}

function resourceOf(user: ScimUserRecord, base: string): Versioned {
  const attributes = attributesOf(user);
  const hasExtension = attributes[ENTERPRISE_SCHEMA] !== undefined;
  const schemas = [USER_SCHEMA, ...(hasExtension ? [ENTERPRISE_SCHEMA] : [])];
  const { id, createdAt, updatedAt } = user;
  return versioned(
    { schemas, id, ...attributes },
    {
      ...{ resourceType: 'User', created: createdAt, lastModified: updatedAt },
      location: `${base}/Users/${id}`,
    },
  );
}
