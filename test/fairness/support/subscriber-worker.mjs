// An account with a webhook and a live tail of a datagrid. It runs in its own thread, so that the
// attack, which the test's thread sends, does not delay it. It writes a row at a steady rate, and
// measures the time from the response of the write to the delivery and to the event of the stream.
import { Buffer } from 'node:buffer';
import { createServer, get, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { parentPort, workerData } from 'node:worker_threads';

const { origins, key, writesPerSecond } = workerData;
const headers = { authorization: `Bearer ${key}` };

/** Times of each row by its id: the write's response, the delivery, the event of each stream. */
let rows = new Map();
let rejected = [];
let datagrid = '';
let sent = 0;
let following = 0;
let timer;

const note = (id, name) => {
  const row = rows.get(id) ?? {};
  row[name] ??= performance.now();
  rows.set(id, row);
};

const receiver = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    response.writeHead(204).end();
    const { data } = JSON.parse(Buffer.concat(chunks).toString());
    for (const id of data.rowIds) note(id, 'delivered');
  });
});

/** Follows the datagrid on an instance. The stream must not end. */
function tail(origin, index) {
  const accept = { accept: 'text/event-stream', ...headers };
  get(`${origin}${datagrid}/changes?cursor=latest`, { headers: accept }, (response) => {
    following += 1;
    if (following === origins.length) parentPort.postMessage('following');
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop();
      for (const part of parts) {
        const line = part.split('\n').find((each) => each.startsWith('data: '));
        if (!line) continue;
        for (const { op, row } of JSON.parse(line.slice(6)).data) {
          if (op === 'set') note(row.id, `tail${index}`);
        }
      }
    });
    response.on('close', () => rejected.push(`stream ended with ${response.statusCode}`));
  }).on('error', (error) => rejected.push(`stream failed: ${error.message}`));
}

function write() {
  const body = JSON.stringify({ values: { n: sent } });
  const origin = origins[sent % origins.length];
  sent += 1;
  const outgoing = request(`${origin}${datagrid}/rows`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
  });
  outgoing.on('error', (error) => rejected.push(error.message));
  outgoing.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => {
      if (response.statusCode === 201) note(JSON.parse(text).data.id, 'written');
      else rejected.push(`${response.statusCode} ${text}`);
    });
  });
  outgoing.end(body);
}

const isComplete = (row) =>
  ['delivered', ...origins.map((_, n) => `tail${n}`)].every((at) => row[at]);

parentPort.on('message', (command) => {
  if (command.name === 'follow') {
    ({ datagrid } = command);
    origins.forEach(tail);
  } else if (command.name === 'start') {
    rows = new Map();
    rejected = [];
    timer = setInterval(write, 1000 / writesPerSecond);
  } else if (command.name === 'report') {
    const wait = setInterval(() => {
      if ([...rows.values()].filter(isComplete).length < command.arrived) return;
      clearInterval(wait);
      parentPort.postMessage('arrived');
    }, 20);
  } else {
    clearInterval(timer);
    const deadline = performance.now() + 30_000;
    const wait = setInterval(() => {
      const all = [...rows.values()];
      if (!all.every(isComplete) && performance.now() < deadline) return;
      clearInterval(wait);
      const since = (row, at) => Math.max(0, (row[at] ?? Infinity) - row.written);
      parentPort.postMessage({
        rejected,
        deliveryMs: all.map((row) => since(row, 'delivered')),
        tailMs: all.flatMap((row) => origins.map((_, n) => since(row, `tail${n}`))),
      });
    }, 20);
  }
});

receiver.listen(0, '127.0.0.1', () => parentPort.postMessage(receiver.address().port));
