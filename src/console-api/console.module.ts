import { Module } from '@nestjs/common';
import { OauthModule } from '../auth/oauth/oauth.module';
import { ProviderModule } from '../auth/provider/provider.module';
import { DatagridModule } from '../datagrids/datagrid.module';
import { HTML_NOT_FOUND } from '../platform/http/unknown-route.controller';
import { RowModule } from '../rows/row.module';
import { ScimModule } from '../scim/scim.module';
import { ViewModule } from '../views/view.module';
import { ApplicationController } from './application/application.controller';
import { ConsoleApplicationService } from './application/console-application.service';
import { ConsoleFactorService } from './factor/console-factor.service';
import { FactorController } from './factor/factor.controller';
import { ConsoleInviteService } from './invite/console-invite.service';
import { InviteController } from './invite/invite.controller';
import { ConsoleKeyService } from './key/console-key.service';
import { KeyController } from './key/key.controller';
import { ConsoleFiles } from './page/console-files';
import { PageController } from './page/page.controller';
import { PageService } from './page/page.service';
import { ConsoleRequestService } from './request/console-request.service';
import { RequestController } from './request/request.controller';
import { Reauthentication } from './session/reauthentication';
import { PasskeySignInService } from './session/passkey-sign-in.service';
import { ConsoleSessionService } from './session/console-session.service';
import { ConsoleProviderService } from './provider/console-provider.service';
import { ConsoleSamlService } from './provider/console-saml.service';
import { ProviderController } from './provider/provider.controller';
import { SamlController } from './provider/saml.controller';
import { ConsoleScimService } from './scim/console-scim.service';
import { ConsoleScimController } from './scim/scim.controller';
import { SecurityController } from './security/security.controller';
import { SecurityService } from './security/security.service';
import { ServiceAccountController } from './service-account/service-account.controller';
import { ServiceAccountService } from './service-account/service-account.service';
import { SessionController } from './session/session.controller';
import { SignInLimits } from './session/sign-in-limits';
import { SignInMetrics } from './session/sign-in-metrics';
import { SignInService } from './session/sign-in.service';
import { ConsoleUserService } from './user/console-user.service';
import { UserController } from './user/user.controller';

/** Pages of the web console, and the routes that only the console uses. */
@Module({
  imports: [DatagridModule, OauthModule, ProviderModule, RowModule, ScimModule, ViewModule],
  controllers: [
    SessionController,
    InviteController,
    UserController,
    ServiceAccountController,
    KeyController,
    FactorController,
    SecurityController,
    ProviderController,
    SamlController,
    ConsoleScimController,
    ApplicationController,
    RequestController,
    PageController,
  ],
  providers: [
    ConsoleSessionService,
    SignInService,
    SignInLimits,
    SignInMetrics,
    PasskeySignInService,
    Reauthentication,
    ConsoleFactorService,
    SecurityService,
    ConsoleProviderService,
    ConsoleSamlService,
    ConsoleScimService,
    ConsoleApplicationService,
    ConsoleInviteService,
    ServiceAccountService,
    ConsoleUserService,
    ConsoleKeyService,
    ConsoleRequestService,
    PageService,
    { provide: HTML_NOT_FOUND, useExisting: PageService },
    ConsoleFiles,
  ],
})
export class ConsoleModule {}
