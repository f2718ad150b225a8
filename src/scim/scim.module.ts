import { Module } from '@nestjs/common';
import { ScimGroupMappingService } from './scim-group-mapping.service';
import { ScimChanges } from './scim-changes';
import { ScimDiscoveryController } from './scim-discovery.controller';
import { ScimDiscoveryService } from './scim-discovery.service';
import { ScimGroupController } from './scim-group.controller';
import { ScimGroupRepository } from './scim-group.repository';
import { ScimGroupService } from './scim-group.service';
import { ScimRoleRepository } from './scim-role.repository';
import { ScimRoleService } from './scim-role.service';
import { ScimSearchController } from './scim-search.controller';
import { ScimSearchService } from './scim-search.service';
import { ScimUserController } from './scim-user.controller';
import { ScimUserRepository } from './scim-user.repository';
import { ScimUserService } from './scim-user.service';

/** SCIM 2.0: the directory of a company provisions the users of an account, and groups of them. */
@Module({
  controllers: [
    ScimDiscoveryController,
    ScimSearchController,
    ScimUserController,
    ScimGroupController,
  ],
  providers: [
    ScimDiscoveryService,
    ScimSearchService,
    ScimUserService,
    ScimUserRepository,
    ScimGroupService,
    ScimGroupRepository,
    ScimRoleService,
    ScimRoleRepository,
    ScimChanges,
    ScimGroupMappingService,
  ],
  exports: [ScimGroupMappingService],
})
export class ScimModule {}
