import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { type AppRequest, isProbe } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { MemoryBudget, LARGE_BYTES } from '../load/memory-budget';
import type { CountedResponse, RequestLimiter } from '../load/load';
import type { Logger } from '../logging/logger';
import { isTls, rejectHandshakes, TLS_SERVER, type Certificate } from '../tls/certificate';
import { respondWhileStarting, rejectAtSocket, rejectForLoad } from './socket-rejection';
import {
  beginInTurn,
  closeAfterRequest,
  cutStalledReaders,
  hasFullQueue,
  isPipelined,
  isExemptTimeout,
  receiveTimeouts,
  type SlowClientLimits,
} from './slow-clients';
import { connectionLimit, OpenConnections, type DescriptorUse } from './open-connections';
import { sendJson } from './send-json';
import { isSendable } from './sendable-response';
import type { IsTrusted } from './client-address';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse & CountedResponse;
}

/**
 * Express adapter whose server creates requests and responses with Express's prototypes. Express
 * sets the prototypes of every request and response, which on Node 20 and 22 discards the engine's
 * optimizations for them. Here the objects have those prototypes from the start, so setting them
 * changes nothing.
 */
export class FastExpressAdapter extends ExpressAdapter {
  private readonly bodyMemory: MemoryBudget;
  private readonly responseMemory: MemoryBudget;
  readonly connections: OpenConnections;
  /** Creates a request and its response, as the server does for each request on a connection. */
  newExchange: (socket: Socket) => Exchange = () => {
    throw new Error('The HTTP server has not been created.');
  };
  /**
   * Whether the application is still starting: the liveness probe succeeds, and all other requests
   * return 503. Set when the server listens before its database is available.
   */
  isStarting = false;

  /** @param certificate If given, the server accepts HTTPS only. */
  constructor(
    private readonly log: Logger,
    private readonly load: RequestLimiter,
    private readonly config: SlowClientLimits & DescriptorUse,
    private readonly certificate?: Certificate,
  ) {
    super();
    this.bodyMemory = new MemoryBudget(config.maxBufferedBytes);
    this.responseMemory = new MemoryBudget(config.maxBufferedBytes);
    this.connections = new OpenConnections(connectionLimit(config), (address) =>
      (this.getInstance<Express>().get('trust proxy fn') as IsTrusted)(address, 0),
    );
    // Nest has already created the router, so Express's own setting would have no effect.
    Object.assign(this.getInstance<Express>().router, { caseSensitive: true });
  }

  /**
   * Sends the result of a route. Express would parse the content type and look up settings for each
   * response.
   */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const counted = response as Response & CountedResponse;
    if (isSendable(body)) return body.send(counted);
    if (!(body instanceof JsonResponse)) return super.reply(response, body, statusCode);
    // The envelope interceptor has rejected reads that are too large. A committed write must be sent,
    // so this never rejects.
    const characters = body.text?.length ?? 0;
    if (characters > LARGE_BYTES) counted.reserveAlways(characters);
    if (statusCode !== undefined) response.statusCode = statusCode;
    return sendJson(response, body) ?? response;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const expressRequest = app.request;
    class FastRequest extends IncomingMessage {
      private parsedQuery: unknown;

      /** Caches the parsed query. Express's getter parses it on every access. */
      get query(): unknown {
        this.parsedQuery ??= Reflect.get(expressRequest, 'query', this);
        return this.parsedQuery;
      }
    }
    const { load, bodyMemory, responseMemory } = this;
    class FastResponse extends ServerResponse<FastRequest> implements CountedResponse {
      private isCounted = false;
      private accountId: string | undefined;
      /** Client address of a request without a caller. */
      private anonymousAddress: string | undefined;
      private reservedBytes = 0;

      startCounting(): void {
        if (this.isCounted || this.headersSent || this.destroyed) return;
        this.isCounted = true;
        load.begin();
        if (this.accountId !== undefined) load.beginFor(this.accountId);
        if (this.anonymousAddress !== undefined) load.beginAnonymous(this.anonymousAddress);
      }

      countForAccount(accountId: string): void {
        if (!this.isCounted || this.accountId !== undefined) return;
        this.accountId = accountId;
        load.beginFor(accountId);
        this.requireShare();
      }

      countAnonymous(address: string): void {
        if (!this.isCounted || this.anonymousAddress !== undefined) return;
        this.anonymousAddress = address;
        load.beginAnonymous(address);
        this.requireShare();
      }

      resumeCounting(): void {
        this.startCounting();
        if (this.isCounted) this.requireShare();
      }

      stopCounting(): void {
        if (!this.isCounted) return;
        this.isCounted = false;
        load.end();
        if (this.accountId !== undefined) load.endFor(this.accountId);
        if (this.anonymousAddress !== undefined) load.endAnonymous(this.anonymousAddress);
      }

      private requireShare(): void {
        const rejection =
          (this.accountId === undefined ? undefined : load.overShareError(this.accountId)) ??
          (this.anonymousAddress === undefined
            ? undefined
            : load.anonymousOverShareError(this.anonymousAddress));
        if (rejection) throw rejection;
      }

      reserveBody(bytes: number): void {
        bodyMemory.reserve(this, holderOf(this), bytes);
      }

      reserve(bytes: number): void {
        if (bytes <= LARGE_BYTES || bytes <= this.reservedBytes) return;
        responseMemory.reserve(this, holderOf(this), bytes - this.reservedBytes);
        this.reservedBytes = bytes;
      }

      reserveAlways(bytes: number): void {
        if (bytes <= this.reservedBytes) return;
        responseMemory.reserveAlways(this, holderOf(this), bytes - this.reservedBytes);
        this.reservedBytes = bytes;
      }

      /** Stops counting the request. Called for every response, also by Node itself. */
      override writeHead(status: number, ...rest: never[]): this {
        this.stopCounting();
        return super.writeHead(status, ...rest);
      }
    }
    Object.setPrototypeOf(FastRequest.prototype, app.request);
    Object.setPrototypeOf(FastResponse.prototype, app.response);
    app.request = FastRequest.prototype as unknown as Express['request'];
    app.response = FastResponse.prototype as unknown as Express['response'];

    this.newExchange = (socket) => {
      const request = new FastRequest(socket);
      return { request, response: new FastResponse(request) };
    };
    const options = {
      IncomingMessage: FastRequest,
      ServerResponse: FastResponse,
      // `startRequest` rejects a missing Host header, with the same error body as other errors.
      requireHostHeader: false,
      keepAliveTimeout: 65_000,
      ...receiveTimeouts(this.config),
    };
    type Handle = RequestListener<typeof FastRequest, typeof FastResponse>;
    const dispatch: Handle = (request, response) => {
      if (this.isStarting) {
        respondWhileStarting(request, response);
      } else if (load.isFull && !isProbe(request.url ?? '')) {
        load.countRejected();
        rejectForLoad(request, response);
      } else {
        response.startCounting();
        app(request as never, response as never);
      }
    };
    const listener: Handle = (request, response) => {
      closeAfterRequest(request);
      if (!isPipelined(response)) {
        dispatch(request, response);
      } else if (hasFullQueue(request)) {
        load.countRejected();
        rejectForLoad(request, response);
      } else {
        beginInTurn(request, response, () => {
          dispatch(request, response);
        });
      }
    };
    const server = this.certificate
      ? createTlsServer({ ...options, ...TLS_SERVER, ...this.certificate }, listener)
      : createServer(options, listener);
    if (isTls(server)) rejectHandshakes(server, this.log);
    server.on('clientError', (fault, socket) => {
      if (!isExemptTimeout(socket, fault)) rejectAtSocket(this.log, fault, socket);
    });
    // Without this listener, Node would close the connection without a response.
    server.on('connect', (_request, socket) => {
      rejectAtSocket(this.log, new Error('CONNECT is not supported.'), socket);
    });
    server.on('checkExpectation', (request: FastRequest, response: FastResponse) => {
      listener(Object.assign(request, { expectationFailed: true }), response);
    });
    cutStalledReaders(server, this.config);
    this.connections.watch(server);
    load.watch(server);
    this.httpServer = server;
  }
}

function holderOf({ req }: ServerResponse): string {
  return (req as AppRequest).caller?.accountId ?? '';
}
