import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import {
  DestinationError,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/destinations/destination';
import { ParquetKind } from '../../src/destinations/parquet/parquet-kind';
import { readConfig } from '../../src/platform/config/app-config';
import { csv, row, set } from './contract-lines';
import { destinationFor } from './parquet-bucket';
import { etagOf, fail, type Received, signatureOf, StrictS3Server } from './strict-s3-server';

const name: TargetColumn = { id: 1, name: 'name', type: 'text' };
const MANIFEST = '_manifest.json';
/** What a server sends that has no end, so that the test has one. */
const MAX_SENT = 256 * 1024 * 1024;

let server: StrictS3Server;
let writers: TargetWriter[];

beforeEach(async () => {
  server = await StrictS3Server.start();
  writers = [];
});

afterEach(async () => {
  for (const writer of writers) await writer.close();
  await server.close();
});

const login = (
  secret = server.secretAccessKey,
): { settings: typeof server.settings; secret: string } => ({
  settings: server.settings,
  secret,
});

const newTable = (): TargetTable => ({ id: randomUUID(), name: 'orders', deletions: 'delete' });

async function open(table: TargetTable, token: number): Promise<TargetWriter> {
  const writer = await destinationFor(login()).open(table);
  writers.push(writer);
  await writer.claim(token);
  return writer;
}

async function load(table = newTable()): Promise<TargetWriter> {
  const writer = await open(table, 1);
  await writer.beginLoad([name], 'begun');
  await writer.append([name], csv([row(1, 1, 'a'), row(2, 2, 'b')]), 'appended');
  await writer.finishLoad([name], 'loaded');
  return writer;
}

const isCommit = ({ method, key }: Received): boolean => method === 'PUT' && key.endsWith(MANIFEST);

/** Changes the document of the table. */
function tamper(change: (document: Record<string, never>) => unknown): void {
  const key = server.keyOf(MANIFEST);
  const document = JSON.parse(server.objects.get(key)?.toString() ?? '') as Record<string, never>;
  server.objects.set(key, Buffer.from(JSON.stringify(change(document) ?? document)));
}

describe('signatures', () => {
  it('are checked by the tests as AWS documents them', () => {
    const headers = {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
    };
    const request = { method: 'GET', target: '/test.txt', headers };
    const scope = '20130524/us-east-1/s3/aws4_request';
    const names = Object.keys(headers).join(';');
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    expect(signatureOf(request, scope, names, secret)).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  it('are right for keys with any characters, and cover the conditions', async () => {
    await destinationFor(login()).test();
    const writer = await load({ ...newTable(), name: `Order's "list" (é) + 100%` });
    await writer.merge([name], csv([set(3, 3, 'c')]), 'merged');
    await expect(writer.exists()).resolves.toBe(true);
    const conditional = server.requests.filter(({ headers }) => headers['if-match'] !== undefined);
    expect(conditional.length).toBeGreaterThan(3);
    for (const { headers } of conditional) expect(headers.authorization).toContain(';if-match;');
  });

  it('are rejected with a wrong secret, and the error says so', async () => {
    await expect(destinationFor(login('wrong')).test()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^The server rejected the access key or its secret\./),
    });
  });
});

describe('the test of a bucket', () => {
  it.each(['if-none-match', 'if-match'] as const)(
    'fails if the server ignores %s',
    async (condition) => {
      server.intercept = (request, response) => {
        if (request.method !== 'PUT') return false;
        const headers = { ...request.headers, [condition]: undefined };
        server.perform({ ...request, headers }, response);
        return true;
      };
      await expect(destinationFor(login()).test()).rejects.toMatchObject({
        kind: 'configuration',
        message: expect.stringContaining('does not honor conditional writes'),
      });
    },
  );

  it('leaves nothing behind', async () => {
    await destinationFor(login()).test();
    expect([...server.objects.keys()]).toEqual([]);
  });

  it.each([
    [403, 'AccessDenied', 'configuration', /^The access key lacks a right\./],
    [404, 'NoSuchBucket', 'configuration', /^The bucket does not exist\./],
    [400, 'AuthorizationHeaderMalformed', 'configuration', /^The bucket is in another region\./],
    [403, 'RequestTimeTooSkewed', 'unavailable', /^The clocks of the service and of the server/],
    [501, 'NotImplemented', 'configuration', /^The server does not support conditional writes/],
    [503, 'SlowDown', 'unavailable', /^The server is overloaded\./],
    [500, 'InternalError', 'unavailable', /^The server failed with status 500\./],
    [507, 'XMinioStorageFull', 'unavailable', /^The disk of the server is full\./],
    [400, 'constructor', 'configuration', /^The server rejected a request \(constructor\)\./],
    [400, 'OtherError', 'configuration', /^The server rejected a request \(OtherError\)\./],
  ])('says what status %d with %s means', async (status, code, kind, message) => {
    server.intercept = (_request, response) => {
      fail(response, status, code);
      return true;
    };
    await expect(destinationFor(login()).test()).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it('connects to no private address that the operator does not allow', async () => {
    const kind = new ParquetKind(readConfig({}));
    const target = { accountId: '', connectionId: '', ...login() };
    await expect(kind.create(target).test()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('The address is private'),
    });
    expect(server.requests).toEqual([]);
  });
});

describe('a server of S3 that is hostile', () => {
  it('redirects the service nowhere', async () => {
    const other = await StrictS3Server.start();
    server.intercept = (_request, response) => {
      response.writeHead(307, { location: `${other.endpoint}/lake/x` }).end();
      return true;
    };
    await expect(destinationFor(login()).test()).rejects.toMatchObject({ kind: 'configuration' });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it.each([
    ['no ETag', {}],
    ['a long ETag', { etag: `"${'a'.repeat(500)}"` }],
    ['an ETag with spaces', { etag: '"a b"' }],
  ])('cannot respond with %s', async (_, headers) => {
    server.intercept = (_request, response) => {
      response.writeHead(200, headers).end();
      return true;
    };
    await expect(destinationFor(login()).test()).rejects.toMatchObject({
      kind: 'configuration',
      message: 'The host does not respond as S3 (status 200). Check `endpoint`.',
    });
  });

  it('cannot make the service keep an endless document', async () => {
    const table = newTable();
    await load(table);
    server.intercept = ({ method, key }, response) => {
      if (method !== 'GET' || !key.endsWith(MANIFEST)) return false;
      response.writeHead(200, { etag: '"a"' });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
      return true;
    };
    await expect(open(table, 2)).rejects.toMatchObject({
      kind: 'configuration',
      message: 'The response of the server is too large. Check that `endpoint` is that of S3.',
    });
  });

  it('cannot make the service read an endless list', async () => {
    const writer = await load();
    const object =
      '<Contents><Key>copies/year%3D2026/orders/a</Key><Size>1</Size><LastModified>2026-11-24T00:00:00.000Z</LastModified></Contents>';
    server.intercept = ({ query }, response) => {
      if (!query.has('list-type')) return false;
      const page = `<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>`;
      response.writeHead(200).end(`<ListBucketResult>${page}${object}</ListBucketResult>`);
      return true;
    };
    await expect(writer.exists()).rejects.toThrow(
      'The response of the server is too large. Check that `endpoint` is that of S3.',
    );
  });

  it('cannot make the service read a list with more objects than it asked for', async () => {
    const writer = await load();
    const object = '<Contents><Key>a</Key><Size>1</Size><LastModified>1</LastModified></Contents>';
    server.intercept = ({ query }, response) => {
      if (!query.has('list-type')) return false;
      const prefix = query.get('prefix') ?? '';
      const objects = object.replace('<Key>a', `<Key>${prefix}`).repeat(50_000);
      response.writeHead(200).end(`<ListBucketResult>${objects}</ListBucketResult>`);
      return true;
    };
    await expect(writer.exists()).rejects.toThrow(
      'The response of the server is too large. Check that `endpoint` is that of S3.',
    );
  });

  it.each([
    ['elements that begin and never end', '<Contents>'.repeat(700_000)],
    ['keys that begin and never end', `<Contents>${'<Key>'.repeat(1_400_000)}</Contents>`],
    ['entities that never end', `<Contents><Key>${'&a'.repeat(3_500_000)}</Key></Contents>`],
    ['a long entity', `<Contents><Key>&${'a'.repeat(7_000_000)}</Key></Contents>`],
    ['a long number', `<Contents><Key>a</Key><Size>${'9'.repeat(7_000_000)}</Size></Contents>`],
  ])('cannot keep the service busy with a list of %s', async (_, content) => {
    const writer = await load();
    server.intercept = ({ query }, response) => {
      if (!query.has('list-type')) return false;
      response.writeHead(200).end(`<ListBucketResult>${content}</ListBucketResult>`);
      return true;
    };
    // A few lists have a valid part. The connection may also be lost, which the next run repeats. Work that grows with
    // the square of the length would last beyond the timeout of the test.
    await writer.exists().catch((error: unknown) => {
      expect(error).toBeInstanceOf(DestinationError);
    });
  });

  it('cannot make the service store more than the size that was recorded', async () => {
    const table = newTable();
    await (await load(table)).close();
    let sent = 0;
    server.intercept = ({ method, key }, response) => {
      if (method !== 'GET' || !key.endsWith('.parquet')) return false;
      response.writeHead(200, { etag: '"a"' });
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const write = (): void => {
        while (!response.destroyed && sent < MAX_SENT && response.write(chunk)) {
          sent += chunk.length;
        }
      };
      response.on('drain', write);
      write();
      return true;
    };
    const next = await open(table, 2);
    await expect(next.merge([name], csv([set(1, 9, 'x')]), 'merged')).rejects.toMatchObject({
      kind: 'inconsistent',
      message: 'A file of table "orders" is missing or was changed. It must be loaded again.',
    });
    expect(sent).toBeLessThan(MAX_SENT);
  });

  it('cannot make the service read thousands of files for a few rows', async () => {
    const table = newTable();
    const writer = await open(table, 1);
    await writer.beginLoad([name], 'begun');
    await writer.append([name], csv([row(1, 1, 'a')]), 'appended');
    await writer.close();
    const body = Buffer.alloc(100, 'x');
    const prefix = server.keyOf(MANIFEST).replace(MANIFEST, '');
    tamper(({ sync }) => {
      const { load: begun, ...others } = sync as unknown as { load: object };
      const files = Array.from({ length: 50_000 }, (_, n) => {
        const file = `${randomUUID()}.parquet`;
        // The first ones would never be read.
        if (n > 49_000) server.objects.set(`${prefix}${file}`, body);
        return { name: file, rows: 1, bytes: body.length, fromId: n + 1, toId: n + 1 };
      });
      return { sync: { ...others, load: { ...begun, files } } };
    });
    const next = await open(table, 2);
    server.requests.length = 0;
    const appended = next.append([name], csv([row(60_000, 1, 'b')]), 'appended');
    await expect(appended).rejects.toMatchObject({ kind: 'inconsistent' });
    expect(server.requests.filter(({ key }) => key.endsWith('.parquet')).length).toBeLessThan(40);
  });

  it('cannot make the service exceed the temporary files of an account', async () => {
    const table = newTable();
    const writer = await load(table);
    const texts = Array.from({ length: 200 }, () => randomBytes(1_000).toString('hex'));
    const lines = texts.map((text, n) => set(n + 3, 3, text));
    await writer.merge([name], csv(lines), 'merged');
    await writer.close();
    const accountId = randomUUID();
    const small = await destinationFor(login(), {
      accountId,
      MAX_CONNECTION_FILES_BYTES: '100000',
    }).open(table);
    writers.push(small);
    await small.claim(2);
    await expect(small.sumBlocks()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^The syncs of this account need more than 0\.0 GiB/),
    });
    await small.close();
    const left = (await readdir(tmpdir())).filter((each) => each.includes(accountId));
    expect(left).toEqual([]);
  });

  it.each<[string, (document: Record<string, never>) => unknown]>([
    ['has a file of terabytes', ({ sync }) => setFile(sync, { bytes: 2 ** 42 })],
    ['has too many files', ({ sync }) => repeatFile(sync, 50_001)],
    ['is no JSON object', () => 'text'],
    ['has no state of the service', () => ({ files: [] })],
    ['has a name that leads elsewhere', ({ sync }) => setFile(sync, { name: '../../x.parquet' })],
    ['has a negative number of rows', ({ sync }) => setFile(sync, { rows: -1 })],
    ['has ids that are no integers', ({ sync }) => setFile(sync, { fromId: '1); DROP' })],
    ['has a range that ends before it begins', ({ sync }) => setFile(sync, { fromId: 9, toId: 8 })],
    [
      'has a token that is no number',
      ({ sync }) => ({ sync: { ...(sync as unknown as object), token: '7' } }),
    ],
  ])('cannot use a document that %s', async (_, change) => {
    const table = newTable();
    await load(table);
    tamper(change);
    await expect(open(table, 2)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^The file _manifest\.json of table "orders" is not valid\./),
    });
  });

  it.each([
    ['is nested deeply', '['.repeat(10_000_000) + ']'.repeat(10_000_000)],
    ['has millions of values', `[${'{},'.repeat(10_000_000)}{}]`],
  ])('cannot keep the service busy with a document that %s', async (_, value) => {
    const table = newTable();
    await load(table);
    server.objects.set(server.keyOf(MANIFEST), Buffer.from(`{"sync":${value}}`));
    await expect(open(table, 2)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^The file _manifest\.json of table "orders" is not valid\./),
    });
  });

  it('cannot replace a data file by another one', async () => {
    const writer = await load();
    await writer.close();
    const key = server.keyOf('.parquet');
    const size = server.objects.get(key)?.length ?? 0;
    for (const body of [Buffer.alloc(size, 1), Buffer.alloc(size - 1), Buffer.alloc(size + 1)]) {
      server.objects.set(key, body);
      const table = JSON.parse(server.objects.get(server.keyOf(MANIFEST))?.toString() ?? '') as {
        sync: { id: string; token: number };
      };
      const next = await open({ ...newTable(), id: table.sync.id }, table.sync.token + 1);
      const merged = next.merge([name], csv([set(1, 9, 'x')]), 'merged');
      await expect(merged).rejects.toMatchObject({ kind: 'inconsistent' });
    }
  });

  it('that never responds does not keep a writer from being closed', async () => {
    const writer = await load();
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    server.intercept = () => {
      asked();
      return true;
    };
    const merged = writer.merge([name], csv([set(1, 9, 'x')]), 'merged');
    const failed = expect(merged).rejects.toMatchObject({ kind: 'unavailable' });
    await isAsked;
    await writer.close();
    await failed;
  });
});

describe('a commit whose response is lost', () => {
  it('counts a commit whose response is lost if the server has stored it', async () => {
    const table = newTable();
    const writer = await load(table);
    server.intercept = (request, response) => {
      if (!isCommit(request)) return false;
      server.objects.set(request.key, request.body);
      response.destroy();
      return true;
    };
    await writer.merge([name], csv([set(3, 3, 'c')]), 'merged');
    server.intercept = () => false;
    await expect(writer.sumBlocks()).resolves.toEqual([
      { block: 0, rows: 3, ids: '6', revisions: '6' },
    ]);
    await writer.close();
    const next = await destinationFor(login()).open(table);
    writers.push(next);
    await expect(next.claim(2)).resolves.toBe('merged');
  });

  it('does not count if the server has not stored it', async () => {
    const table = newTable();
    const writer = await load(table);
    server.intercept = (request, response) => {
      if (!isCommit(request)) return false;
      response.destroy();
      return true;
    };
    const merged = writer.merge([name], csv([set(3, 3, 'c')]), 'merged');
    await expect(merged).rejects.toMatchObject({ kind: 'unavailable' });
    server.intercept = () => false;
    await expect(writer.sumBlocks()).resolves.toMatchObject([{ rows: 2 }]);
  });

  it('cannot overwrite another worker if it arrives late', async () => {
    const table = newTable();
    const writer = await load(table);
    let late: Received | undefined;
    server.intercept = (request, response) => {
      if (!isCommit(request)) return false;
      late = request;
      response.destroy();
      return true;
    };
    await expect(writer.merge([name], csv([set(3, 3, 'c')]), 'merged')).rejects.toThrow();
    server.intercept = () => false;
    await open(table, 2);
    const before = server.objects.get(server.keyOf(MANIFEST));
    expect(late?.headers['if-match']).not.toBe(before && etagOf(before));
    await expect(writer.exists()).rejects.toMatchObject({ token: 2 });
  });
});

/** Changes the first file of a document. */
function setFile(sync: unknown, change: object): unknown {
  const { table, ...others } = sync as { table: { files: object[] } };
  const files = table.files.map((file, index) => (index === 0 ? { ...file, ...change } : file));
  return { sync: { ...others, table: { ...table, files } } };
}

/** Repeats the first file of a document, with other ids. */
function repeatFile(sync: unknown, count: number): unknown {
  const { table, ...others } = sync as { table: { files: object[] } };
  const files = Array.from({ length: count }, (_, n) => ({
    ...table.files[0],
    fromId: n + 1,
    toId: n + 1,
  }));
  return { sync: { ...others, table: { ...table, files } } };
}
