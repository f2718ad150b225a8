import { Global, Module } from '@nestjs/common';
import { AccountRepository } from './account.repository';
import { AccountService } from './account.service';
import { ApiKeyRepository } from './api-key/api-key.repository';
import { ApiKeyService } from './api-key/api-key.service';
import { CallerCache } from './api-key/caller-cache';
import { KeyAccessService } from './api-key/key-access.service';
import { AuditEventController } from './audit/audit-event.controller';
import { AuditEventService } from './audit/audit-event.service';
import { AuditRepository } from './audit/audit.repository';
import { AuditService } from './audit/audit.service';
import { AuthController } from './auth.controller';
import { AuthService } from './auth.service';
import { CallerService } from './caller.service';
import { FactorRepository } from './factor/factor.repository';
import { FactorSecretService } from './factor/factor-secret.service';
import { FactorService } from './factor/factor.service';
import { PasskeyRepository } from './factor/passkey.repository';
import { PasskeyService } from './factor/passkey.service';
import { InviteRepository } from './invite/invite.repository';
import { InviteService } from './invite/invite.service';
import { KeyRequestCleanup } from './key-request/key-request-cleanup';
import { KeyRequestRepository } from './key-request/key-request.repository';
import { KeyRequestService } from './key-request/key-request.service';
import { KeyUsageRepository } from './key-usage/key-usage.repository';
import { KeyUsageService } from './key-usage/key-usage.service';
import { PasswordRepository } from './password/password.repository';
import { PasswordService } from './password/password.service';
import { PermissionRepository } from './permission/permission.repository';
import { PermissionService } from './permission/permission.service';
import { QuotaService } from './quota/quota.service';
import { SessionRepository } from './session/session.repository';
import { SessionService } from './session/session.service';
import { UserRepository } from './user/user.repository';
import { WorkspaceRoleRepository } from './user/workspace-role.repository';
import { WorkspaceRoleService } from './user/workspace-role.service';
import { UserService } from './user/user.service';

/** Accounts, users and their credentials. Global, because the guards of every route use it. */
@Global()
@Module({
  controllers: [AuthController, AuditEventController],
  providers: [
    AuthService,
    AccountService,
    AccountRepository,
    KeyAccessService,
    UserService,
    UserRepository,
    WorkspaceRoleService,
    WorkspaceRoleRepository,
    ApiKeyService,
    ApiKeyRepository,
    CallerCache,
    CallerService,
    PermissionService,
    PermissionRepository,
    PasswordService,
    PasswordRepository,
    InviteService,
    InviteRepository,
    FactorService,
    FactorSecretService,
    FactorRepository,
    PasskeyService,
    PasskeyRepository,
    SessionService,
    SessionRepository,
    KeyUsageService,
    KeyUsageRepository,
    KeyRequestService,
    KeyRequestRepository,
    KeyRequestCleanup,
    AuditService,
    AuditEventService,
    AuditRepository,
    QuotaService,
  ],
  exports: [
    AccountService,
    UserService,
    WorkspaceRoleService,
    ApiKeyService,
    KeyAccessService,
    CallerService,
    PermissionService,
    PasswordService,
    FactorService,
    FactorSecretService,
    PasskeyService,
    InviteService,
    SessionService,
    KeyUsageService,
    KeyRequestService,
    AuditService,
    QuotaService,
  ],
})
export class AuthModule {}
