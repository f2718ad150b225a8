import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Json } from './api-client';

/** Settings with which the service delivers to receivers on this machine. */
export const LOOPBACK_ALLOWED = { WEBHOOK_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' };

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Json;
}

/** Responds to a delivery. */
export type Respond = (
  response: ServerResponse,
  received: Received,
  request: IncomingMessage,
) => void | Promise<void>;

const accept: Respond = (response) => {
  response.writeHead(204).end();
};

/** An endpoint on this machine. It accepts everything unless told otherwise. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  respond: Respond = accept;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => void receiver.take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** Deliveries at a path, in the order in which they came. */
  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const received = { path: request.url ?? '', headers, text, body: JSON.parse(text) };
    this.received.push(received);
    await this.respond(response, received, request);
  }
}

/** Verifies a delivery with the published library. @throws if a signature does not match. */
export function verify(secret: string, { text, headers }: Received): unknown {
  return new Webhook(secret).verify(text, headers);
}
