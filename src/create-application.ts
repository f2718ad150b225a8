import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { AppModule } from './app.module';
import { KeyRequestService } from './auth/key-request/key-request.service';
import { KeyUsageService } from './auth/key-usage/key-usage.service';
import type { AppConfig } from './platform/config/app-config';
import { FastExpressAdapter } from './platform/http/fast-express-adapter';
import { requireHttps, setSecurityHeaders, startRequest } from './platform/http/start-request';
import { RequestLog } from './platform/http/request-log';
import { RequestLimiter } from './platform/load/load';
import { registerLoadMetrics } from './platform/metrics/load-metrics';
import { NestLogger, type Logger } from './platform/logging/logger';
import { Metrics } from './platform/metrics/metrics';
import { RequestMetrics } from './platform/metrics/request-metrics';
import { OpenApiDescription } from './platform/openapi/openapi.controller';
import { readWrappingKeys } from './platform/secrets/key-file';
import { followCertificate, isTls, readCertificate } from './platform/tls/certificate';
import { openTracing } from './platform/tracing/tracing.module';

/**
 * Removes `Accept-Encoding`, so that no response is compressed. A proxy that compresses responses
 * itself does the same.
 */
function disableCompression(request: Request, _response: Response, next: NextFunction): void {
  delete request.headers['accept-encoding'];
  next();
}

/**
 * Creates the application for `main`, the end-to-end tests and the API description. Nothing
 * connects before `init` or `listen`.
 */
export async function createApplication(
  config: AppConfig,
  databaseUrl: string,
  logger: Logger,
): Promise<NestExpressApplication> {
  const certificate = config.tls && readCertificate(config.tls);
  const wrappingKeys = readWrappingKeys(config);
  const tracing = await openTracing(config);
  const load = new RequestLimiter(config, logger);
  const adapter = new FastExpressAdapter(logger, load, config, certificate);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.of({ config, databaseUrl, logger, tracing, wrappingKeys }),
    adapter,
    // The body is read after the guards have run.
    { bodyParser: false, logger: new NestLogger(logger), abortOnError: false },
  );
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...config.trustedProxies]);
  // First, so that responses of the next middleware have these headers too.
  app.use(setSecurityHeaders);
  const usage = app.get(KeyUsageService);
  const keyRequests = app.get(KeyRequestService);
  const requests = config.metricsPort === undefined ? undefined : app.get(RequestMetrics);
  registerLoadMetrics(app.get(Metrics), load, adapter.connections);
  app.use(
    startRequest(
      new RequestLog(logger, config.slowRequestMs),
      (caller, request, response, durationMs) => {
        usage.add(caller.keyId, response.statusCode);
        keyRequests.record(caller, request, response, durationMs);
      },
      requests?.observe.bind(requests),
    ),
  );
  if (tracing) app.use(tracing.request.bind(tracing));
  if (config.requireHttps) app.use(requireHttps);
  if (!config.compression) app.use(disableCompression);
  app.get(OpenApiDescription).describe(app);
  const server: unknown = app.getHttpServer();
  if (config.tls && isTls(server)) followCertificate(server, config.tls, logger);
  return app;
}
