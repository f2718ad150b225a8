import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from './auth/auth.module';
import { CallerGuard } from './auth/caller.guard';
import { PermissionGuard } from './auth/permission.guard';
import { ConsoleModule } from './console/console.module';
import { DatagridModule } from './datagrids/datagrid.module';
import { ENTITIES } from './entity-list';
import type { AppConfig } from './platform/config/app-config';
import { ConfigModule } from './platform/config/config.module';
import { DatabaseModule } from './platform/database/database.module';
import { HealthModule } from './platform/health/health.module';
import { EnvelopeInterceptor } from './platform/http/envelope.interceptor';
import { AppExceptionFilter } from './platform/http/exception.filter';
import { StrictQueryGuard } from './platform/http/strict-query.guard';
import { UnknownRouteModule } from './platform/http/unknown-route.module';
import { IdempotencyInterceptor } from './platform/idempotency/idempotency.interceptor';
import { IdempotencyModule } from './platform/idempotency/idempotency.module';
import type { Logger } from './platform/logging/logger';
import { LoggingModule } from './platform/logging/logging.module';
import { OpenApiModule } from './platform/openapi/openapi.module';
import { KeyThrottlerGuard } from './platform/throttling/key-throttler.guard';
import { ThrottlingModule } from './platform/throttling/throttling.module';
import { ImportModule } from './rows/import/import.module';
import { RowModule } from './rows/row.module';
import { TrashModule } from './trash/trash.module';
import { WorkspaceModule } from './workspaces/workspace.module';

/** The one composition root: what wraps every route stands here, in its order. */
@Module({})
export class AppModule {
  static of(config: AppConfig, databaseUrl: string, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(logger),
        DatabaseModule.of(
          {
            url: databaseUrl,
            poolSize: config.databasePoolSize,
            lockTimeoutMs: config.lockTimeoutMs,
            statementTimeoutMs: config.statementTimeoutMs,
            idleTransactionTimeoutMs: config.idleTransactionTimeoutMs,
          },
          ENTITIES,
        ),
        ThrottlingModule,
        AuthModule,
        IdempotencyModule,
        // The router tries routes in this order: those that are called most come first.
        RowModule,
        ImportModule,
        DatagridModule,
        WorkspaceModule,
        TrashModule,
        ConsoleModule,
        HealthModule,
        OpenApiModule,
        // Last: it catches what no route before it took.
        UnknownRouteModule,
      ],
      providers: [
        { provide: APP_GUARD, useClass: CallerGuard },
        { provide: APP_GUARD, useClass: KeyThrottlerGuard },
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_GUARD, useClass: StrictQueryGuard },
        // Called by the idempotency interceptor, not by Nest: see there.
        EnvelopeInterceptor,
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_FILTER, useClass: AppExceptionFilter },
      ],
    };
  }
}
