import { Get } from '@nestjs/common';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentScimRequest, ScimController, ScimId, ScimRoute } from './scim-controller';
import { ScimDiscoveryService } from './scim-discovery.service';
import type { ScimRequest } from './scim-request';

/** What the service supports of SCIM (RFC 7644, section 4). */
@ScimController()
export class ScimDiscoveryController {
  constructor(private readonly discovery: ScimDiscoveryService) {}

  @Get('ServiceProviderConfig')
  @ScimRoute()
  config(@CurrentScimRequest() request: ScimRequest): JsonResponse {
    return this.discovery.config(request);
  }

  @Get('ResourceTypes')
  @ScimRoute()
  resourceTypes(@CurrentScimRequest() request: ScimRequest): JsonResponse {
    return this.discovery.resourceTypes(request);
  }

  @Get('ResourceTypes/:id')
  @ScimRoute()
  resourceType(@ScimId() id: string, @CurrentScimRequest() request: ScimRequest): JsonResponse {
    return this.discovery.resourceType(id, request);
  }

  @Get('Schemas')
  @ScimRoute()
  schemas(@CurrentScimRequest() request: ScimRequest): JsonResponse {
    return this.discovery.schemas(request);
  }

  @Get('Schemas/:id')
  @ScimRoute()
  schema(@ScimId() id: string, @CurrentScimRequest() request: ScimRequest): JsonResponse {
    return this.discovery.schema(id, request);
  }
}
