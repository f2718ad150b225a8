import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { AppError } from '../common/error/app-error';
import { ScimGroupService } from './scim-group.service';
import {
  listResponse,
  readSearch,
  type ResourcePage,
  type ScimQuery,
  type ScimRequest,
} from './scim-request';
import { ScimUserService } from './scim-user.service';

type PageOf = (query: ScimQuery) => Promise<ResourcePage>;

/** Kind of resource of a search; `null` for all of them. */
export type Searched = 'users' | 'groups' | null;

/** Searches with the query in the body, for those that are too long for a URL. */
@Injectable()
export class ScimSearchService {
  constructor(
    private readonly users: ScimUserService,
    private readonly groups: ScimGroupService,
  ) {}

  /** @throws AppError `invalid_request` */
  async search(
    caller: Caller,
    searched: Searched,
    body: unknown,
    { base }: ScimRequest,
  ): Promise<JsonResponse> {
    const query = readSearch(body);
    const ofUsers: PageOf = (each) => this.users.page(caller, base, each);
    const ofGroups: PageOf = (each) => this.groups.page(caller, base, each);
    const { resources, total } =
      searched === null
        ? await both(query, ofUsers, ofGroups)
        : await (searched === 'users' ? ofUsers : ofGroups)(query);
    return listResponse(resources, total, query);
  }
}

/** Returns a page of the users that match, followed by the groups. */
async function both(query: ScimQuery, users: PageOf, groups: PageOf): Promise<ResourcePage> {
  const first = await orInvalid(() => users(query));
  const ofUsers = first instanceof AppError ? { resources: [], total: 0 } : first;
  const rest = {
    ...query,
    startIndex: Math.max(1, query.startIndex - ofUsers.total),
    count: query.count - ofUsers.resources.length,
  };
  const second = await orInvalid(() => groups(rest));
  if (second instanceof AppError && first instanceof AppError) throw first;
  const ofGroups = second instanceof AppError ? { resources: [], total: 0 } : second;
  return {
    resources: [...ofUsers.resources, ...ofGroups.resources],
    total: ofUsers.total + ofGroups.total,
  };
}

/** Returns the error of a filter on attributes that only resources of the other kind have. */
async function orInvalid(page: () => Promise<ResourcePage>): Promise<ResourcePage | AppError> {
  try {
    return await page();
  } catch (error) {
    if (error instanceof AppError && error.scimType === 'invalidFilter') return error;
    throw error;
  }
}
