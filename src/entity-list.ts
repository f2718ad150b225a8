import { AccountEntity } from './auth/account/account.entity';
import { ApiKeyEntity } from './auth/api-key/api-key.entity';
import { AuditEventEntity } from './auth/audit/audit-event.entity';
import { UserInviteEntity } from './auth/invite/user-invite.entity';
import { ApiKeyUsageEntity } from './auth/key-usage/api-key-usage.entity';
import { UserPasswordEntity } from './auth/password/user-password.entity';
import { SessionEntity } from './auth/session/session.entity';
import { UserEntity } from './auth/user/user.entity';
import { DatagridColumnEntity } from './datagrids/column/datagrid-column.entity';
import { DatagridCounterEntity } from './datagrids/datagrid-counter.entity';
import { DatagridEntity } from './datagrids/datagrid.entity';
import { DatagridPurgeEntity } from './datagrids/datagrid-purge.entity';
import { IdempotencyKeyEntity } from './platform/idempotency/idempotency-key.entity';
import { IdempotencyUsageEntity } from './platform/idempotency/idempotency-usage.entity';
import { ImportEntity } from './rows/import/job/import.entity';
import { ImportLineEntity } from './rows/import/stage/import-line.entity';
import { NumberIndexEntryEntity, TextIndexEntryEntity } from './rows/storage/index-entry.entity';
import { RowGapEntity } from './rows/storage/row-gap.entity';
import { RowTombstoneEntity } from './rows/storage/row-tombstone.entity';
import { RowEntity } from './rows/storage/row.entity';
import { UniqueValueEntity } from './rows/storage/unique-value.entity';
import { WorkspaceEntity } from './workspaces/workspace.entity';

/** Entities of all tables except the migrations table. */
export const ENTITIES = [
  AccountEntity,
  UserEntity,
  ApiKeyEntity,
  UserPasswordEntity,
  UserInviteEntity,
  SessionEntity,
  ApiKeyUsageEntity,
  AuditEventEntity,
  WorkspaceEntity,
  DatagridEntity,
  DatagridColumnEntity,
  DatagridCounterEntity,
  RowEntity,
  RowGapEntity,
  UniqueValueEntity,
  TextIndexEntryEntity,
  NumberIndexEntryEntity,
  RowTombstoneEntity,
  DatagridPurgeEntity,
  IdempotencyKeyEntity,
  IdempotencyUsageEntity,
  ImportEntity,
  ImportLineEntity,
];
