// Endpoints of the attacker's webhooks, in a thread of their own. The path says how they behave.
import { createServer } from 'node:http';
import { setInterval, setTimeout } from 'node:timers';
import { parentPort } from 'node:worker_threads';

const deliveries = { dead: 0, slow: 0, endless: 0, failing: 0, working: 0 };
const endless = 'x'.repeat(16_384);

const server = createServer((request, response) => {
  const kind = request.url.split('/')[1];
  deliveries[kind] += 1;
  request.resume();
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  if (kind === 'dead') return;
  if (kind === 'slow') {
    // Each response comes in time, but late.
    request.on('end', () => setTimeout(() => response.writeHead(200).end(), 8_000).unref());
  } else if (kind === 'endless') {
    response.writeHead(200);
    const push = () => {
      while (!response.destroyed && response.write(endless));
    };
    response.on('drain', push);
    push();
  } else {
    request.on('end', () => response.writeHead(kind === 'failing' ? 500 : 204).end());
  }
});

server.listen(0, '127.0.0.1', () => {
  parentPort.postMessage({ port: server.address().port });
  setInterval(() => parentPort.postMessage({ deliveries: { ...deliveries } }), 500).unref();
});
