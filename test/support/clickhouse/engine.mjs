// An embedded ClickHouse engine (chDB) behind the HTTP interface of ClickHouse, as far as the service uses it:
// a statement with its data as the body, settings as parameters, basic authentication, codes of
// exceptions. One statement runs at a time. A body that ends early is not executed. Runs as a process
// of its own: `node engine.mjs <data directory> <user> <password> <port>`. Prints
// its port once it listens.
import { Buffer } from 'node:buffer';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { URL } from 'node:url';
import engine from '@chdb/lib-linux-x64-gnu';

const [directory, user, password, port] = process.argv.slice(2);
const connection = engine.CreateConnection(directory);
const query = (text, format = 'CSV') => engine.QueryWithConnection(connection, text, format);
query('CREATE DATABASE IF NOT EXISTS warehouse');

/** Parameters that are no settings. */
const PARAMETERS = new Set(['database', 'query_id', 'wait_end_of_query', 'default_format']);
const AUTHORIZATION = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const failure = (exception, text) => Object.assign(new Error(text), { exception });

const DATA = `${directory}.csv`;

/** chDB reads no data after a statement with `input`. It gets them as a file. */
function splitData(body) {
  const end = body.indexOf(' FORMAT CSV\n');
  if (end < 0) return body.toString('utf8');
  writeFileSync(DATA, body.subarray(end + ' FORMAT CSV\n'.length));
  return body
    .subarray(0, end)
    .toString('utf8')
    .replace(/\binput\(/, `file('${DATA}', 'CSV', `);
}

function run(request, body) {
  if (request.headers.authorization !== AUTHORIZATION) {
    throw failure(516, `${user}: Authentication failed: password is incorrect`);
  }
  const { searchParams } = new URL(request.url, 'http://engine');
  query(`USE \`${searchParams.get('database') ?? 'default'}\``);
  const settings = [...searchParams].filter(([name]) => !PARAMETERS.has(name));
  const quoted = (value) => `'${value.replace(/[\\']/g, String.raw`\$&`)}'`;
  const list = settings.map(([name, value]) => `${name} = ${quoted(value)}`).join(', ');
  const format = searchParams.get('default_format') ?? 'TabSeparated';
  // A session that is read-only would stay so. A server has a session for each request.
  if (searchParams.has('readonly'))
    return query(`${body.toString('utf8')}\nSETTINGS ${list}`, format);
  if (list !== '') query(`SET ${list}`);
  try {
    return query(splitData(body), format);
  } finally {
    rmSync(DATA, { force: true });
  }
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('error', () => undefined);
  request.on('end', () => {
    if (!request.complete) return;
    try {
      const result = run(request, Buffer.concat(parts));
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=UTF-8' });
      response.end(result);
    } catch (error) {
      const code = Number(error.exception ?? /Code: (\d+)/.exec(error.message)?.[1] ?? 1002);
      response.writeHead(code === 516 ? 403 : 500, { 'X-ClickHouse-Exception-Code': String(code) });
      response.end(`Code: ${String(code)}. DB::Exception: ${error.message}\n`);
    }
  });
});

server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`${String(server.address().port)}\n`);
});
// The parent process has ended.
process.stdin.on('end', () => process.exit(0)).resume();
