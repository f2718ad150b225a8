import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import {
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
} from '@opentelemetry/semantic-conventions';
import type { NextFunction, Response } from 'express';
import { type AppRequest, isProbe, routeOf } from '../../common/caller/app-request';
import { endsWithin } from '../time/ends-within';
import type { Tracing } from './tracing';

const NAME = 'datagrid-platform';
const REQUEST_ID = 'datagrid.request_id';
const CLOSE_WITHIN_MS = 5_000;

/**
 * Creates OpenTelemetry traces manually. This code chooses their content, so no part of a request
 * gets in by accident. Loaded only if an endpoint for traces is configured.
 */
export class OpenTelemetryTracing implements Tracing {
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  /** @param endpoint Base URL of the collector, such as `http://localhost:4318`. */
  constructor(endpoint: string) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.provider = new NodeTracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: NAME }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    this.provider.register();
    this.tracer = this.provider.getTracer(NAME);
  }

  request(request: AppRequest, response: Response, next: NextFunction): void {
    if (isProbe(request.path)) {
      next();
      return;
    }
    const { method, requestId } = request;
    // An internal request is a part of the trace of the client's request.
    const caller = request.isInternal
      ? context.active()
      : propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { [ATTR_HTTP_REQUEST_METHOD]: method, [REQUEST_ID]: requestId };
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, caller);
    request.traceId = span.spanContext().traceId;
    response.once('close', () => {
      endRequest(span, request, response);
    });
    context.with(trace.setSpan(caller, span), next);
  }

  database<T>(name: string, work: () => Promise<T>): Promise<T> {
    const attributes = { [ATTR_DB_SYSTEM_NAME]: 'postgresql', [ATTR_DB_QUERY_SUMMARY]: name };
    const options = { kind: SpanKind.CLIENT, attributes };
    return this.tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work();
      } catch (error) {
        // Omits the message, which may quote client data.
        span.setAttribute(ATTR_ERROR_TYPE, typeOf(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async close(): Promise<void> {
    await endsWithin(
      this.provider.shutdown().catch(() => undefined),
      CLOSE_WITHIN_MS,
    );
  }
}

function endRequest(span: Span, request: AppRequest, response: Response): void {
  const route = routeOf(request);
  const { statusCode } = response;
  span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, statusCode);
  if (route !== undefined) {
    span.updateName(`${request.method} ${route}`);
    span.setAttribute(ATTR_HTTP_ROUTE, route);
  }
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function typeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.constructor.name : typeof error;
}
