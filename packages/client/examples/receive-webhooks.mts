/** Receives webhooks, and prints the types of those whose signature is valid. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from '@datagrid/client';

const secret = process.env['WEBHOOK_SECRET'] ?? '';

async function receive(request: IncomingMessage): Promise<number> {
  try {
    const { headers } = request;
    const event = await verifyWebhook({ body: await buffer(request), headers, secret });
    console.log(`${String(headers['webhook-id'])} ${event.type}`);
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 400;
    throw error;
  }
}

const server = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});
server.listen(Number(process.env['PORT'] ?? 8080), () => {
  console.log(`listening on ${String((server.address() as AddressInfo).port)}`);
});
