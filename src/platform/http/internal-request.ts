import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import type { CountedResponse } from '../load/load';
import { type Exchange, FastExpressAdapter } from './fast-express-adapter';

/** Request of a client, in whose name the service makes another one. */
export interface ClientExchange {
  readonly request: AppRequest;
  readonly response: Response;
}

export interface InternalRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; `undefined` for no body. */
  readonly body?: unknown;
}

export interface InternalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; `''` if there is none. */
  readonly text: string;
}

/** Headers that say who sent the client's request, and how it arrived. */
const PASSED_ON = [
  'authorization',
  'host',
  'user-agent',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'traceparent',
  'tracestate',
];

/**
 * Sends requests through the whole application inside the process: guards, interceptors, pipes and
 * the exception filter run as for a request of the client, and it is logged. The client's request
 * has been counted against the rate limits and is counted as in progress, so this one is not.
 */
@Injectable()
export class InternalRequests {
  constructor(private readonly host: HttpAdapterHost<FastExpressAdapter>) {}

  /**
   * Sends a request with the credentials of the client.
   * @throws AppError `request_timeout` if the client disconnects.
   */
  send(client: ClientExchange, sent: InternalRequest): Promise<InternalResponse> {
    const { httpAdapter } = this.host;
    const exchange = httpAdapter.newExchange(client.request.socket);
    fill(exchange, client.request, sent);
    client.request.isDelegated = true;
    const received = receive(exchange, client.response);
    httpAdapter.getInstance<Express>()(exchange.request as never, exchange.response as never);
    return received;
  }
}

function fill(
  { request }: Exchange,
  client: AppRequest,
  { method, url, headers = {}, body }: InternalRequest,
): void {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const all: Record<string, string> = {
    ...passedOn(client.headers),
    'x-request-id': client.requestId,
    ...headers,
    ...(bytes && {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    }),
  };
  Object.assign(request, {
    method,
    url,
    headers: all,
    rawHeaders: Object.entries(all).flat(),
    httpVersion: client.httpVersion,
    complete: true,
    isInternal: true,
  } satisfies Partial<AppRequest>);
  if (bytes) request.push(bytes);
  request.push(null);
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** Resolves when the response has ended. */
function receive({ response }: Exchange, client: Response): Promise<InternalResponse> {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response) as () => unknown;
  const keep = (chunk: unknown, encoding?: unknown): void => {
    if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8'));
    } else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const held = client as Response & CountedResponse;
  Object.assign(response, {
    // The client's request is counted, and holds the memory until its response has been sent.
    startCounting: ignore,
    stopCounting: ignore,
    resumeCounting: ignore,
    countForAccount: ignore,
    countAnonymous: ignore,
    reserve: held.reserve.bind(held),
    reserveAlways: held.reserveAlways.bind(held),
    reserveBody: held.reserveBody.bind(held),
    write: (chunk: unknown, encoding?: unknown): boolean => {
      keep(chunk, encoding);
      return true;
    },
    end: (chunk?: unknown, encoding?: unknown): unknown => {
      keep(chunk, encoding);
      // Ends without a body, which nobody would read.
      return end();
    },
  });
  response.assignSocket(discardingSocket());
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      response.destroy();
    };
    client.once('close', abort);
    // As Node's server does when a response has been sent.
    response.once('finish', () => {
      response.emit('close');
    });
    response.once('close', () => {
      client.off('close', abort);
      if (!response.writableFinished) reject(disconnected());
      else {
        const headers = Object.entries(response.getHeaders());
        resolve({
          status: response.statusCode,
          headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
          text: Buffer.concat(chunks).toString(),
        });
      }
    });
    if (client.destroyed) abort();
  });
}

const ignore = (): void => undefined;

/** Returns a socket that ends a response as soon as it is written. */
function discardingSocket(): Socket {
  return new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  }) as unknown as Socket;
}

function disconnected(): AppError {
  return new AppError('request_timeout', 'The client closed the connection.');
}
