import { AccountEntity } from './auth/account.entity';
import { ApiKeyEntity } from './auth/api-key/api-key.entity';
import { PasskeyChallengeEntity, UserPasskeyEntity } from './auth/factor/passkey.entity';
import { UserRecoveryCodeEntity, UserTotpEntity } from './auth/factor/factor.entity';
import {
  IdentityProviderEntity,
  ProviderLogoutEntity,
  ProviderSignInEntity,
  UserIdentityEntity,
} from './auth/provider/provider.entity';
import { OauthClientEntity, OauthGrantEntity } from './auth/oauth/oauth.entity';
import { AuditEventEntity, AuditPositionEntity } from './auth/audit/audit-event.entity';
import { UserInviteEntity } from './auth/invite/user-invite.entity';
import { KeyRequestEntity, KeyRequestGapEntity } from './auth/key-request/key-request.entity';
import { ApiKeyUsageEntity } from './auth/key-usage/api-key-usage.entity';
import { UserPasswordEntity } from './auth/password/user-password.entity';
import { SessionEntity } from './auth/session/session.entity';
import { UserEntity } from './auth/user/user.entity';
import { WorkspaceRoleEntity } from './auth/user/workspace-role.entity';
import {
  ConnectionEntity,
  ConnectionRunEntity,
  ConnectionTableEntity,
} from './connections/connection.entity';
import {
  ScheduledImportEntity,
  ScheduledImportRunEntity,
} from './scheduled-imports/scheduled-import.entity';
import { DatagridChangeEntity } from './datagrids/change-log/datagrid-change.entity';
import { DatagridColumnEntity } from './datagrids/column/datagrid-column.entity';
import {
  DatagridCounterEntity,
  DatagridEntity,
  DatagridPurgeEntity,
} from './datagrids/datagrid.entity';
import {
  IdempotencyKeyEntity,
  IdempotencyUsageEntity,
} from './platform/idempotency/idempotency-key.entity';
import { ImportEntity } from './imports/job/import.entity';
import { ImportLineEntity } from './imports/stage/import-line.entity';
import {
  NumberIndexEntryEntity,
  RowEntity,
  RowGapEntity,
  RowLinkEntity,
  RowTombstoneEntity,
  TextIndexEntryEntity,
  UniqueValueEntity,
} from './rows/storage/row.entity';
import { RowVersionEntity } from './rows/storage/row-version.entity';
import { ViewLinkEntity } from './views/link/view-link.entity';
import { DatagridViewEntity } from './views/view.entity';
import {
  WebhookAttemptEntity,
  WebhookEntity,
  WebhookEventEntity,
  WebhookLaneEntity,
} from './webhooks/webhook.entity';
import { SqlQueryEntity } from './sql/saved/sql-query.entity';
import { WorkspaceEntity } from './workspaces/workspace.entity';
import { ScimTokenEntity } from './auth/scim-token/scim-token.entity';
import { ScimGroupEntity, ScimGroupMemberEntity, ScimUserEntity } from './scim/scim.entity';

/** Entities of all tables except the migrations table. */
export const ENTITIES = [
  AccountEntity,
  UserEntity,
  WorkspaceRoleEntity,
  ApiKeyEntity,
  UserPasswordEntity,
  UserInviteEntity,
  SessionEntity,
  ApiKeyUsageEntity,
  KeyRequestEntity,
  KeyRequestGapEntity,
  AuditEventEntity,
  AuditPositionEntity,
  UserTotpEntity,
  UserRecoveryCodeEntity,
  UserPasskeyEntity,
  PasskeyChallengeEntity,
  IdentityProviderEntity,
  UserIdentityEntity,
  ProviderLogoutEntity,
  OauthClientEntity,
  OauthGrantEntity,
  ProviderSignInEntity,
  ScimTokenEntity,
  ScimUserEntity,
  ScimGroupEntity,
  ScimGroupMemberEntity,
  WorkspaceEntity,
  DatagridEntity,
  DatagridColumnEntity,
  DatagridCounterEntity,
  DatagridChangeEntity,
  RowEntity,
  RowGapEntity,
  RowLinkEntity,
  UniqueValueEntity,
  TextIndexEntryEntity,
  NumberIndexEntryEntity,
  RowTombstoneEntity,
  RowVersionEntity,
  DatagridViewEntity,
  ViewLinkEntity,
  DatagridPurgeEntity,
  IdempotencyKeyEntity,
  IdempotencyUsageEntity,
  ImportEntity,
  ImportLineEntity,
  WebhookEntity,
  WebhookLaneEntity,
  WebhookEventEntity,
  WebhookAttemptEntity,
  ConnectionEntity,
  ConnectionTableEntity,
  ConnectionRunEntity,
  ScheduledImportEntity,
  ScheduledImportRunEntity,
  SqlQueryEntity,
];
