import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { ClickhouseDestination } from '../../src/destinations/clickhouse/clickhouse-kind';
import { readClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';

const GIVEN = { host: '127.0.0.1', database: 'analytics', user: 'datagrid' };

let server: Server | undefined;

afterEach(async () => {
  if (!server) return;
  server.close();
  await once(server, 'close');
  server = undefined;
});

async function listen(started: Server): Promise<number> {
  server = started;
  started.listen(0, '127.0.0.1');
  await once(started, 'listening');
  return (started.address() as AddressInfo).port;
}

const http = (respond: RequestListener): Promise<number> => listen(createHttpServer(respond));

function destinationAt(
  port: number,
  tls = false,
  allowed = ['127.0.0.0/8'],
): ClickhouseDestination {
  return new ClickhouseDestination({
    settings: readClickhouseSettings({ ...GIVEN, port, tls }),
    password: 'secret',
    policy: new AddressPolicy(allowed, 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  });
}

describe('the test of a ClickHouse destination', () => {
  it.each([
    [516, 'configuration', 'The database rejected the user or the password. Correct them.'],
    [497, 'configuration', 'The user lacks a right. Grant SELECT, INSERT, ALTER,'],
    [81, 'configuration', 'The database does not exist. Create it, or correct its name.'],
    [202, 'unavailable', 'The server is overloaded. The sync is retried.'],
    [60, 'inconsistent', 'A table does not exist anymore.'],
    [9_999, 'unavailable', 'The database failed.'],
  ])('explains the exception %i, with the text of the server', async (code, kind, message) => {
    const port = await http((_, response) => {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
      response.end(`Code: ${String(code)}. DB::Exception: reason`);
    });
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind });
    await expect(tested).rejects.toThrow(message);
    await expect(tested).rejects.toThrow(
      ` ClickHouse: Code: ${String(code)}. DB::Exception: reason`,
    );
  });

  it('finds an exception that follows a result', async () => {
    const port = await http((_, response) => {
      response.end('{"a":1}\nCode: 241. DB::Exception: Memory limit exceeded');
    });
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(tested).rejects.toThrow(
      'The database is out of memory. Reduce its load, or give it more memory.',
    );
  });

  it('says that another server is not ClickHouse', async () => {
    const port = await http((_, response) => {
      response.writeHead(404).end('<html>Not found</html>');
    });
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('does not respond as ClickHouse over HTTP (status 404)');
  });

  it('says that a server does not speak HTTP, as at the port of the native protocol', async () => {
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.resume().end('\u0002\u0000ClickHouse\r\n');
      }),
    );
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('does not speak HTTP at this port');
  });

  it('says that TLS failed if the server has none', async () => {
    const port = await http((_, response) => response.end());
    const tested = destinationAt(port, true).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('TLS failed');
  });

  it('says that a connection was closed', async () => {
    const port = await http((request) => request.socket.destroy());
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(tested).rejects.toThrow('The connection was closed.');
  });

  it('sends nothing to a private address that is not allowed', async () => {
    let requests = 0;
    const port = await http((_, response) => {
      requests += 1;
      response.end();
    });
    for (const tls of [false, true]) {
      const tested = destinationAt(port, tls, []).test();
      await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
      await expect(tested).rejects.toThrow('The address is private, reserved or local.');
    }
    expect(requests).toBe(0);
  });
});

describe('the settings of ClickHouse', () => {
  it('have the port of the HTTP interface by default', () => {
    expect(readClickhouseSettings(GIVEN)).toEqual({
      ...GIVEN,
      port: 8443,
      tls: true,
      caCertificate: null,
    });
    expect(readClickhouseSettings({ ...GIVEN, tls: false })).toMatchObject({ port: 8123 });
  });

  it.each([
    [{ database: 'system' }, 'settings.database', 'must not be a database of the system'],
    [{ database: '' }, 'settings.database', 'must be a text of 1 to 200 bytes'],
    [{ user: 'a:b' }, 'settings.user', 'must not contain a colon'],
    [{ host: 'a/b' }, 'settings.host', 'must be a host name or an address'],
    [{ port: 0 }, 'settings.port', 'must be an integer from 1 to 65535'],
    [{ schema: 'public' }, 'settings.schema', expect.any(String)],
  ])('reject %j', (settings, field, message) => {
    const read = (): unknown => readClickhouseSettings({ ...GIVEN, ...settings });
    expect(read).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field, message })] }),
    );
  });
});
