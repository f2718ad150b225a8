import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Receives webhooks, and sends the number of those that it has accepted to the parent process when
 * asked. Requests below `/dead` get no response.
 */
let accepted = 0;

const server = createServer((request, response) => {
  request.resume();
  if (request.url?.startsWith('/dead')) return;
  request.on('end', () => {
    accepted += 1;
    response.writeHead(204).end();
  });
});

server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
  process.on('message', () => process.send?.(accepted));
});
