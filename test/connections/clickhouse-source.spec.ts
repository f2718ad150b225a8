import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { ClickhouseSource } from '../../src/destinations/clickhouse/clickhouse-source';
import { readClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-settings';
import { DestinationError } from '../../src/destinations/destination';
import type { ResultRow } from '../../src/destinations/source';
import { BAD_BYTES } from '../../src/common/encoding/utf8-text';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';

const LIMITS = { timeoutMs: 10_000, maxRowBytes: 100_000 };
const HEADER = '["code", "n"]\n["String", "UInt64"]\n';

let server: Server;
let url: URL;
let text = '';
let respond: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    url = new URL(request.url ?? '', 'http://engine');
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      text = Buffer.concat(parts).toString();
      respond(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Reads a result completely. */
async function read(
  query = 'SELECT 1',
  signal = new AbortController().signal,
): Promise<ResultRow[]> {
  const { port } = server.address() as AddressInfo;
  const given = { host: '127.0.0.1', port, database: 'own', user: 'reader', tls: false };
  const source = new ClickhouseSource({
    settings: readClickhouseSettings(given),
    password: null,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  });
  const result = await source.read({ query }, LIMITS, signal);
  try {
    const rows: ResultRow[] = [];
    for await (const batch of result.batches()) rows.push(...batch);
    return rows;
  } finally {
    await result.close();
  }
}

const sends =
  (...parts: (string | Buffer)[]) =>
  (response: ServerResponse): void => {
    for (const part of parts) response.write(part);
    response.end();
  };

describe('the source of ClickHouse', () => {
  it('asks for a read-only session with a limit of time, and puts the query between brackets', async () => {
    respond = sends(HEADER);
    expect(await read('SELECT 1 -- one')).toEqual([]);
    expect(text).toBe('SELECT * FROM (SELECT 1 -- one\n)');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      readonly: '1',
      max_execution_time: '10',
      database: 'own',
      cancel_http_readonly_queries_on_client_close: '1',
    });
  });

  it('keeps all digits of numbers, and lines that arrive in parts', async () => {
    respond = sends(HEADER, '["a\\"]b", 1844674', '4073709551615]\n[null, 0.10]');
    expect(await read()).toEqual([
      ['a"]b', '18446744073709551615'],
      [null, '0.10'],
    ]);
  });

  it('marks bytes that are not UTF-8', async () => {
    respond = sends(HEADER, Buffer.from('["\xc3(", 1]\n', 'latin1'));
    expect(await read()).toEqual([[`${BAD_BYTES}(`, '1']]);
  });

  it.each([
    [
      'an exception after rows',
      [HEADER, '["a", 1]\n', 'Code: 395. DB::Exception: failed'],
      /^The query failed\./,
    ],
    [
      'an exception for time',
      [HEADER, 'Code: 159. DB::Exception: Timeout exceeded'],
      /^The query took more than 10 s/,
    ],
    // Takes hours if the time is not linear.
    [
      'a long text without an end',
      [HEADER, `["${String.raw`\"`.repeat(1_000_000)}]\n`],
      /^The host does not respond as ClickHouse/,
    ],
    ['a row with too few values', [HEADER, '["a"]\n'], /^The host does not respond as ClickHouse/],
    [
      'a row that is no array',
      [HEADER, '{"code": "a"}\n'],
      /^The host does not respond as ClickHouse/,
    ],
    [
      'a row that is too long',
      [HEADER, `["${'x'.repeat(5_000_000)}`],
      /^A row of the result has more than/,
    ],
    ['no header', ['<html>'], /^The host does not respond as ClickHouse/],
  ])('fails for %s', async (_, parts, message) => {
    respond = sends(...parts);
    const error = await read().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(DestinationError);
    expect((error as Error).message).toMatch(message);
  });

  it('fails if the connection breaks in the middle of the result', async () => {
    respond = (response) => {
      response.write(`${HEADER}["a", 1]\n`, () => response.socket?.destroy());
    };
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('ends at once if it is canceled while the server does not respond', async () => {
    const controller = new AbortController();
    respond = () => {
      controller.abort(new Error('canceled'));
    };
    await expect(read('SELECT 1', controller.signal)).rejects.toThrow('canceled');
  });

  it.each([
    'SELECT 1) ; INSERT INTO t VALUES (1); (SELECT 1',
    'SELECT 1; SELECT 2',
    "SELECT 'a",
    'SELECT 1 /* (',
    'SELECT (1',
    'SELECT 1))',
  ])('sends nothing for a query that would leave its brackets: %s', async (query) => {
    text = '';
    await expect(read(query)).rejects.toMatchObject({ kind: 'configuration' });
    expect(text).toBe('');
  });

  it.each([
    "SELECT ')' AS a;",
    'SELECT 1 /* ) */',
    'SELECT `)`, ")"',
    'SELECT $x$ ) $x$',
    "SELECT 'it''s \\') '",
  ])('sends a query with brackets and quotes in texts, names and comments: %s', async (query) => {
    respond = sends(HEADER);
    expect(await read(query)).toEqual([]);
  });
});
