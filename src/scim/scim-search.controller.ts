import { HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentCaller } from '../platform/http/access';
import { ScimBody } from '../platform/http/json-body';
import { CurrentScimRequest, ScimController, ScimRoute } from './scim-controller';
import type { ScimRequest } from './scim-request';
import { ScimSearchService } from './scim-search.service';

/** Searches by POST (RFC 7644, section 3.4.3). */
@ScimController()
export class ScimSearchController {
  constructor(private readonly searches: ScimSearchService) {}

  @Post('.search')
  @ScimRoute()
  @HttpCode(200)
  all(
    @CurrentCaller() caller: Caller,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.searches.search(caller, null, body, request);
  }

  @Post('Users/.search')
  @ScimRoute()
  @HttpCode(200)
  users(
    @CurrentCaller() caller: Caller,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.searches.search(caller, 'users', body, request);
  }

  @Post('Groups/.search')
  @ScimRoute()
  @HttpCode(200)
  groups(
    @CurrentCaller() caller: Caller,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.searches.search(caller, 'groups', body, request);
  }
}
