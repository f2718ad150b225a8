import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type SnowflakeAccess,
  SnowflakeSession,
} from '../../src/destinations/snowflake/snowflake-session.repository';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { accessOf } from './snowflake-server';

const { privateKey } = SnowflakeEmulator.newKeys();

const LOGIN = { success: true, data: { token: 'a', masterToken: 'b', sessionId: 1 } };

/** Codes, SQLSTATEs and texts from the documentation of Snowflake. No account was used. */
const FAILURES: readonly (readonly [string, string, string, string, string])[] = [
  ['000606', '57P03', 'No active warehouse selected.', 'configuration', 'The warehouse does not'],
  ['000666', '57014', 'Your account is suspended.', 'configuration', 'The account is suspended.'],
  ['003001', '42501', 'Insufficient privileges.', 'configuration', 'The role lacks a right.'],
  ['090073', '22000', 'Quota exceeded.', 'configuration', 'A resource monitor has suspended'],
  ['090105', '22000', 'No current database.', 'configuration', 'The database or the schema'],
  ['002003', '02000', 'Object does not exist.', 'inconsistent', 'A table does not exist anymore'],
  ['000904', '42000', 'invalid identifier', 'inconsistent', 'A column does not exist anymore.'],
  ['100038', '22018', 'not recognized', 'inconsistent', 'Snowflake rejected a value.'],
  [
    '000625',
    '57014',
    'has locked table',
    'unavailable',
    'Another transaction has locked the table',
  ],
  ['000630', '57014', 'timeout', 'unavailable', 'A statement took too long'],
  ['999999', 'XX000', 'odd', 'unavailable', 'Snowflake failed.'],
];

const LOGIN_FAILURES: readonly (readonly [string, string])[] = [
  ['390100', 'Snowflake rejected the user or the secret. Correct them.'],
  ['390144', 'Snowflake rejected the private key.'],
  ['390189', 'The role does not exist, or the user does not have it.'],
  ['390422', 'A network policy of the account rejects the address of the service.'],
];

describe('a host that is not Snowflake, or that rejects the login', () => {
  let server: Server;
  let access: SnowflakeAccess;
  const paths: string[] = [];
  /** Responds to a statement. */
  let respond: (response: ServerResponse, path: string) => void;
  let login: object = LOGIN;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      paths.push(pathname);
      request.resume();
      if (pathname.startsWith('/session')) response.end(JSON.stringify(login));
      else respond(response, pathname);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const names = { user: 'u', database: 'd', schema: 's' };
    access = accessOf({ ...names, port, privateKey });
  });

  beforeEach(() => {
    login = LOGIN;
    paths.length = 0;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const query = async (text = 'SELECT 1'): Promise<readonly unknown[]> => {
    const session = await SnowflakeSession.open(access);
    try {
      return await session.query(text);
    } finally {
      await session.close();
    }
  };

  const statementPaths = (): string[] => paths.filter((path) => !path.startsWith('/session'));

  const json =
    (body: object) =>
    (response: ServerResponse): void => {
      response.end(JSON.stringify(body));
    };

  it.each(FAILURES)(
    'turns the failure %s into one that says what to do',
    async (code, sqlState, message, kind, text) => {
      respond = json({ success: false, code, message, data: { sqlState } });
      const failed = query();
      await expect(failed).rejects.toMatchObject({ kind });
      await expect(failed).rejects.toThrow(text);
      await expect(failed).rejects.toThrow(message);
    },
  );

  it.each(['390104', '390111'])('says that the session has ended for %s', async (code) => {
    respond = json({ success: false, code, message: 'Session no longer exists.', data: {} });
    const failed = query();
    await expect(failed).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(failed).rejects.toThrow('The session has ended.');
  });

  it.each(LOGIN_FAILURES)('turns the failure %s of a login into one', async (code, text) => {
    login = { success: false, code, message: 'The server’s words.', data: {} };
    const failed = query();
    await expect(failed).rejects.toMatchObject({ kind: 'configuration' });
    await expect(failed).rejects.toThrow(text);
  });

  it('reports a failure whose code is `constructor` as one of the connection', async () => {
    respond = json({ success: false, code: 'constructor', message: 'odd', data: {} });
    const failed = query();
    await expect(failed).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The connection failed.',
    });
  });

  it('waits for a statement that takes long, and reads its rows', async () => {
    respond = (response, path) => {
      const isFirst = path === '/queries/v1/query-request';
      const running = { queryId: '01b-2', getResultUrl: '/queries/01b-2/result' };
      const done = { queryId: '01b-2', rowtype: [{ name: 'A', type: 'text' }], rowset: [['x']] };
      json(
        isFirst
          ? { success: true, code: '333334', message: null, data: running }
          : { success: true, code: null, message: null, data: done },
      )(response);
    };
    await expect(query()).resolves.toEqual([['x']]);
    expect(paths).toContain('/queries/01b-2/result');
  });

  it.each([
    ['a redirect', (response: ServerResponse) => response.writeHead(307, { location: '/a' }).end()],
    ['status 404', (response: ServerResponse) => response.writeHead(404).end('no')],
    ['no JSON', (response: ServerResponse) => response.end('<html>')],
    ['a value that is no text', json({ success: true, data: { rowtype: [{}], rowset: [[1]] } })],
  ])('fails once with %s, and sends no other request', async (_, broken) => {
    respond = broken;
    await expect(query()).rejects.toMatchObject({ kind: 'configuration' });
    expect(statementPaths()).toEqual(['/queries/v1/query-request']);
  });

  it('leaves out a command to upload a file, and sends no other request', async () => {
    respond = json({ success: true, data: { command: 'UPLOAD', rowset: 'x' } });
    await expect(query()).resolves.toEqual([]);
    expect(statementPaths()).toEqual(['/queries/v1/query-request']);
  });

  it('stops reading a response that has no end', async () => {
    respond = (response) => {
      const push = (): void => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', push);
      push();
    };
    await expect(query()).rejects.toThrow('The response of the host is larger than');
  });

  it('connects to no private address that the operator does not allow', async () => {
    const policy = new AddressPolicy([], 'CONNECTION_ALLOWED_PRIVATE_RANGES');
    await expect(SnowflakeSession.open({ ...access, policy })).rejects.toMatchObject({
      kind: 'configuration',
      message:
        'The address is private, reserved or local. The service connects to it only if the operator allows it in CONNECTION_ALLOWED_PRIVATE_RANGES.',
    });
    expect(paths).toEqual([]);
  });

  it('gives up on a host that does not respond', async () => {
    respond = () => undefined;
    const timeouts = { connect: 5_000, part: -9_500, table: 0 };
    const session = await SnowflakeSession.open({ ...access, timeouts });
    await expect(session.query('SELECT 1')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The connection timed out.',
    });
    expect(session.isClosed).toBe(true);
    await session.close();
  });

  it.each([
    ['no secret', null, 'The connection has no secret. Send one.'],
    ['a secret that is no key', 'password', 'The secret is no private key.'],
  ])('is not asked with %s', async (_, secret, text) => {
    const failed = SnowflakeSession.open({ ...access, secret });
    await expect(failed).rejects.toMatchObject({ kind: 'configuration' });
    await expect(failed).rejects.toThrow(text);
    expect(paths).toEqual([]);
  });

  it('is asked with a key whose line breaks a form has removed', async () => {
    respond = json({ success: true, data: { rowtype: [{}], rowset: [] } });
    const secret = privateKey.replaceAll('\n', ' ');
    const session = await SnowflakeSession.open({ ...access, secret });
    await session.close();
    expect(paths).toContain('/session/v1/login-request');
  });
});
