import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AuthModule } from './auth/auth.module';
import { OauthModule } from './auth/oauth/oauth.module';
import { CallerGuard } from './auth/caller.guard';
import { ScimTokenModule } from './auth/scim-token/scim-token.module';
import { PermissionGuard } from './auth/permission.guard';
import { ConsoleModule } from './console-api/console.module';
import { DatagridModule } from './datagrids/datagrid.module';
import { ENTITIES } from './entity-list';
import { type AppConfig, ConfigModule } from './platform/config/app-config';
import { DatabaseModule } from './platform/database/database.module';
import { Replica } from './platform/database/replica/replica';
import { HealthModule } from './platform/health/health.controller';
import { EnvelopeInterceptor } from './platform/http/envelope.interceptor';
import { AppExceptionFilter } from './platform/http/exception.filter';
import { StaleReadInterceptor } from './platform/http/stale-read.interceptor';
import { NoBodyGuard } from './platform/http/no-body.guard';
import { StrictQueryGuard } from './platform/http/strict-query.guard';
import { UnknownRouteModule } from './platform/http/unknown-route.controller';
import { type Logger, LoggingModule } from './platform/logging/logger';
import { MetricsModule } from './platform/metrics/metrics.module';
import { openingReport } from './platform/process/open-database';
import { OpenApiModule } from './platform/openapi/openapi.module';
import type { WrappingKey } from './platform/secrets/key-file';
import { SecretsModule } from './platform/secrets/sealer';
import { KeyThrottlerGuard } from './platform/throttling/key-throttler.guard';
import { ThrottlingModule } from './platform/throttling/throttling.module';
import type { Tracing } from './platform/tracing/tracing';
import { TracingModule } from './platform/tracing/tracing.module';
import { RoutesModule } from './platform/routes/routes.module';
import { ChangeModule } from './changes/change.module';
import { ColumnarModule } from './columnar/columnar.module';
import { SqlModule } from './sql/sql.module';
import { ConnectionModule } from './connections/connection.module';
import { ExportModule } from './exports/export.module';
import { HistoryModule } from './history/history.module';
import { ImportModule } from './imports/import.module';
import { McpModule } from './mcp/mcp.module';
import { RetentionModule } from './retention/retention.module';
import { AggregateModule } from './rows/aggregate/aggregate.module';
import { ColumnContentsModule } from './rows/column-contents/column-contents.module';
import { IndexModule } from './rows/index/index.module';
import { PurgeModule } from './rows/purge/purge.module';
import { RowModule } from './rows/row.module';
import { ScimModule } from './scim/scim.module';
import { TrashModule } from './trash/trash.module';
import { ScheduledImportModule } from './scheduled-imports/scheduled-import.module';
import { SyncModule } from './connections/sync/sync.module';
import { ViewModule } from './views/view.module';
import { WebhookModule } from './webhooks/webhook.module';
import { WorkspaceModule } from './workspaces/workspace.module';

/** Provided only if a replica is configured. Without one, `max-stale` is ignored. */
const STALE_READS: Provider = {
  provide: APP_INTERCEPTOR,
  useFactory: ({ reads }: Replica) => new StaleReadInterceptor(reads),
  inject: [Replica],
};

/** What the composition root receives from outside. */
interface AppParts {
  readonly config: AppConfig;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  readonly wrappingKeys: readonly WrappingKey[];
}

/**
 * Composition root of the service. Guards, interceptors and filters that apply to every route are
 * listed here, in the order in which they run.
 */
@Module({})
export class AppModule {
  static of(parts: AppParts): DynamicModule {
    const { config, databaseUrl, logger, tracing, wrappingKeys } = parts;
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(logger),
        SecretsModule.of(wrappingKeys),
        DatabaseModule.of(
          {
            url: databaseUrl,
            directUrl: config.databaseDirectUrl,
            replicaUrl: config.databaseReplicaUrl,
            prepares: config.preparedStatements,
            report: openingReport(logger, config.databaseUrl !== undefined),
            schema: 'migrate',
            poolSize: config.databasePoolSize,
            lockTimeoutMs: config.lockTimeoutMs,
            statementTimeoutMs: config.statementTimeoutMs,
            idleTransactionTimeoutMs: config.idleTransactionTimeoutMs,
          },
          ENTITIES,
          tracing,
        ),
        // First, because the router tries routes in this order. Before rows, so that `rows/export`
        // is not read as a row id.
        ExportModule,
        ChangeModule,
        RowModule,
        AggregateModule,
        ColumnContentsModule,
        IndexModule,
        PurgeModule,
        ColumnarModule,
        SqlModule,
        ViewModule,
        HistoryModule,
        TracingModule.of(tracing),
        MetricsModule,
        ThrottlingModule,
        AuthModule,
        ScimTokenModule,
        RoutesModule,
        OauthModule,
        ImportModule,
        WebhookModule,
        ConnectionModule,
        ScheduledImportModule,
        SyncModule,
        DatagridModule,
        WorkspaceModule,
        TrashModule,
        ConsoleModule,
        ScimModule,
        RetentionModule,
        ...(config.mcp ? [McpModule] : []),
        HealthModule,
        OpenApiModule,
        // Last: it matches every request that no route above matches.
        UnknownRouteModule,
      ],
      providers: [
        { provide: APP_GUARD, useClass: CallerGuard },
        { provide: APP_GUARD, useClass: KeyThrottlerGuard },
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_GUARD, useClass: StrictQueryGuard },
        { provide: APP_GUARD, useClass: NoBodyGuard },
        ...(config.databaseReplicaUrl === undefined ? [] : [STALE_READS]),
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        { provide: APP_FILTER, useClass: AppExceptionFilter },
      ],
    };
  }
}
