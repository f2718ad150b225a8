// The victim's client. It runs in its own thread, so that the attack, which the test's thread sends,
// does not delay it: a latency measured here is that of the service.
import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { parentPort, workerData } from 'node:worker_threads';

const { origins, keys, calls, requestsPerSecond } = workerData;
const PATIENCE_MS = 30_000;
const agents = origins.map(() => new Agent({ keepAlive: true }));

let sent = 0;

/** Sends the next request when it is due, even if earlier ones have no response yet. */
function send() {
  const index = sent % origins.length;
  const call = calls[Math.floor(sent / origins.length) % calls.length];
  const key = keys[sent % keys.length];
  sent += 1;
  const dueAtMs = performance.now();
  return new Promise((resolve) => {
    const end = (status, text) => {
      resolve({ name: call.name, status, text, tookMs: performance.now() - dueAtMs });
    };
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const outgoing = request(`${origins[index]}${call.path}`, {
      method: call.method,
      agent: agents[index],
      timeout: PATIENCE_MS,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    outgoing.on('timeout', () => {
      outgoing.destroy(new Error('No response came in time.'));
    });
    outgoing.on('error', (error) => {
      end(0, error.message);
    });
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => {
        end(response.statusCode, response.statusCode < 400 ? '' : text);
      });
      response.on('error', (error) => {
        end(0, error.message);
      });
    });
    outgoing.end(body);
  });
}

let replies = [];
let timer;

parentPort.on('message', (command) => {
  if (command === 'start') {
    replies = [];
    timer = setInterval(() => replies.push(send()), 1000 / requestsPerSecond);
  } else {
    clearInterval(timer);
    void Promise.all(replies).then((all) => parentPort.postMessage(all));
  }
});
