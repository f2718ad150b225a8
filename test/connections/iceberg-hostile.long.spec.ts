import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CatalogHttp } from '../../src/destinations/iceberg/iceberg-http';
import { printId, RestCatalog } from '../../src/destinations/iceberg/rest-catalog';
import { readIcebergSettings } from '../../src/destinations/iceberg/iceberg-settings';
import { DestinationError, FencedError } from '../../src/destinations/destination';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import { destinationFor } from './iceberg-tables';

const TABLE = {
  id: '01a20b88-836c-7087-8461-dc83636ac817',
  name: 'peaks',
  deletions: 'delete',
} as const;

/** Metadata of a table that this connection has created. */
const METADATA = {
  'format-version': 2,
  'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1',
  location: 's3://lake/peaks',
  'last-sequence-number': 1,
  'last-updated-ms': 1_700_000_000_000,
  'last-column-id': 3,
  'current-schema-id': 0,
  schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }],
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  properties: { 'datagrid.table': TABLE.id, 'datagrid.token': '1' },
  snapshots: [],
  refs: {},
};

interface Received {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Returns lists in lists. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let n = 0; n < depth; n += 1) value = [value];
  return value;
}

let server: Server;
let received: Received[] = [];

/** Listens. The configuration is empty unless the test says otherwise. */
async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  config: unknown = {},
): Promise<string> {
  received = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { url = '', headers } = request;
      received.push({ url, authorization: headers.authorization, body });
      if (url.startsWith('/v1/config')) response.end(JSON.stringify(config));
      else answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const json =
  (value: unknown) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };

function catalogAt(uri: string, settings: object = {}, catalog?: string): RestCatalog {
  const access = {
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
    caCertificate: null,
  };
  const own = readIcebergSettings({ uri, namespace: 'sales', ...settings });
  return new RestCatalog(own, { catalog }, new CatalogHttp(access));
}

async function loadFrom(uri: string): Promise<unknown> {
  const catalog = catalogAt(uri);
  try {
    return await catalog.loadTable('peaks');
  } finally {
    await catalog.close();
  }
}

async function claimAt(uri: string, others: object = {}): Promise<unknown> {
  const settings = { uri, namespace: 'sales', accessKeyId: 'key', ...others };
  const writer = await destinationFor({ settings, secretAccessKey: 'secret' }).open(TABLE);
  try {
    return await writer.claim(2);
  } finally {
    await writer.close();
  }
}

describe('a hostile catalog of Iceberg', () => {
  it.each([
    ['no JSON', '<html>'],
    ['another document', '[1]'],
    ['metadata without a table', { metadata: {} }],
    ['a location that is no text', { metadata: { ...METADATA, location: 7 } }],
    ['a location that is too long', { metadata: { ...METADATA, location: 's'.repeat(3_000) } }],
    ['a schema that is no list', { metadata: { ...METADATA, schemas: 'x' } }],
    ['an id that is no number', { metadata: { ...METADATA, snapshots: [{ 'snapshot-id': 'x' }] } }],
  ])('is a failure of the configuration if it returns %s', async (_, body) => {
    const uri = await listen(json(body));
    await expect(loadFrom(uri)).rejects.toMatchObject({ kind: 'configuration' });
  });

  it.each([
    ['another version of the format', { 'format-version': 3 }, 'format version 3'],
    ['files of this machine', { location: 'file:///etc' }, 'They must be in S3'],
    ['no bucket', { location: 's3:///peaks' }, 'They must be in S3'],
    ['half a character', { location: 's3://lake/\ud800' }, 'They must be in S3'],
  ])('cannot make a table of %s', async (_, change, message) => {
    const uri = await listen(json({ metadata: { ...METADATA, ...change } }));
    const claim = claimAt(uri);
    await expect(claim).rejects.toMatchObject({ kind: 'configuration' });
    await expect(claim).rejects.toThrow(message);
  });

  it.each([
    ['s3.session-token', 'a\nb'],
    ['s3.session-token', '\u2603'],
    ['s3.access-key-id', 'a\r\nHost: b'],
  ])('cannot give credentials that no header can hold, as %s %j', async (name, value) => {
    const keys = { 's3.access-key-id': 'key', 's3.secret-access-key': 'secret' };
    const uri = await listen(json({ metadata: METADATA, config: { ...keys, [name]: value } }));
    const claim = claimAt(uri, { accessKeyId: null });
    await expect(claim).rejects.toMatchObject({ kind: 'configuration' });
    await expect(claim).rejects.toThrow(`The catalog returned an invalid response: \`${name}\`.`);
  });

  it('cannot send more than the service reads', async () => {
    const uri = await listen((_request, response) => {
      const part = Buffer.alloc(1024 * 1024, 0x20);
      const send = (): void => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', send);
      send();
    });
    await expect(loadFrom(uri)).rejects.toThrow('The response is too large.');
  });

  it.each([
    ['brackets', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
    ['empty values', `[${'{},'.repeat(2_000_000)}{}]`],
    ['snapshots without end', `{"metadata":{"snapshots":[${'{"a":1},'.repeat(600_000)}{}]}}`],
    ['a text without an end', `"${'x'.repeat(6_000_000)}`],
    ['escapes without an end', `"${'\\'.repeat(5_999_999)}`],
  ])('cannot keep the service busy with %s', async (_, body) => {
    const uri = await listen(json(body));
    // Work that grows with the square of the length would last beyond the timeout of the test.
    await expect(loadFrom(uri)).rejects.toMatchObject({ kind: 'configuration' });
  });

  it.each([
    [
      'a field',
      {
        schemas: [
          { 'schema-id': 0, fields: [{ id: 1, name: 'a', required: false, type: nested(90) }] },
        ],
      },
    ],
    ['a partition', { 'partition-specs': [{ 'spec-id': 0, fields: [nested(90)] }] }],
    ['a property', { properties: { ...METADATA.properties, 'datagrid.state': nested(90) } }],
  ])('has no effect with %s that is nested', async (_, change) => {
    const uri = await listen(json({ metadata: { ...METADATA, ...change } }));
    const claim = await claimAt(uri).catch((error: unknown) => error);
    expect(
      claim === null || claim instanceof DestinationError || claim instanceof FencedError,
    ).toBe(true);
  });

  it('cannot send the service to another place', async () => {
    const uri = await listen((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(loadFrom(uri)).rejects.toMatchObject({ kind: 'configuration' });
    expect(received.map(({ url }) => url)).toEqual([
      '/v1/config',
      '/v1/namespaces/sales/tables/peaks',
    ]);
  });

  it.each(['../../admin', 'a b', 'x\r\ny', 7])('cannot choose the prefix %j', async (prefix) => {
    const uri = await listen(json({ metadata: METADATA }), { overrides: { prefix } });
    await expect(loadFrom(uri)).rejects.toMatchObject({ kind: 'configuration' });
  });

  it('cannot choose where the client secret is sent', async () => {
    const uri = await listen(
      (request, response) => {
        const isToken = request.url === '/v1/oauth/tokens';
        response.end(
          JSON.stringify(
            isToken ? { access_token: 'abc', expires_in: 600 } : { metadata: METADATA },
          ),
        );
      },
      {
        overrides: {
          prefix: 'p',
          'oauth2-server-uri': 'http://127.0.0.1:9/',
          uri: 'http://127.0.0.1:9/',
        },
      },
    );
    const catalog = catalogAt(uri, { auth: 'oauth2', clientId: 'sync' }, 'client & secret');
    await catalog.loadTable('peaks');
    await catalog.close();
    expect(received).toEqual([
      {
        url: '/v1/oauth/tokens',
        authorization: undefined,
        body: 'grant_type=client_credentials&client_id=sync&client_secret=client+%26+secret&scope=catalog',
      },
      { url: '/v1/config', authorization: 'Bearer abc', body: '' },
      { url: '/v1/p/namespaces/sales/tables/peaks', authorization: 'Bearer abc', body: '' },
    ]);
  });

  it.each([{ access_token: 'a\r\nx: y' }, { access_token: '' }, { token: 'abc' }, 'abc'])(
    'cannot give the token %j',
    async (body) => {
      const uri = await listen(json(body));
      const catalog = catalogAt(uri, { auth: 'oauth2', clientId: 'sync' }, 'secret');
      await expect(catalog.loadTable('peaks')).rejects.toMatchObject({ kind: 'configuration' });
      await catalog.close();
    },
  );

  it('says what to do if the credentials or the rights are wrong', async () => {
    for (const [status, message] of [
      [401, 'The catalog rejected the credentials. Correct them. (status 401) Catalog: Not you.'],
      [403, 'The catalog denied access.'],
      [503, 'The catalog failed. (status 503)'],
    ] as const) {
      const uri = await listen((_request, response) => {
        response.writeHead(status).end(JSON.stringify({ error: { message: 'Not\u0007you.' } }));
      });
      await expect(loadFrom(uri)).rejects.toThrow(message);
      if (status !== 503) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    }
  });

  it.each([
    [410, '', 'The host does not respond as S3 (status 410). Check `s3Endpoint`.'],
    [301, '<Code>PermanentRedirect</Code>', 'another region. Correct `s3Region`.'],
  ])('names the settings of the storage if it responds with %i %s', async (status, body, text) => {
    const storage = createServer((_request, response) => response.writeHead(status).end(body));
    storage.listen(0, '127.0.0.1');
    await once(storage, 'listening');
    const { port } = storage.address() as AddressInfo;
    const snapshot = { 'snapshot-id': 1, 'timestamp-ms': 1, 'manifest-list': 's3://lake/list' };
    const refs = { datagrid_sync: { 'snapshot-id': 1, type: 'branch' } };
    const uri = await listen(json({ metadata: { ...METADATA, snapshots: [snapshot], refs } }));
    const claim = claimAt(uri, { s3Endpoint: `http://127.0.0.1:${String(port)}` });
    await expect(claim).rejects.toThrow(text);
    storage.closeAllConnections();
    storage.close();
  });

  it('does not round the ids of snapshots, which have 64 bits', async () => {
    const id = '9007199254740993123';
    const text = JSON.stringify({
      metadata: { ...METADATA, refs: { main: { 'snapshot-id': 1, type: 'branch' } } },
    });
    const uri = await listen(json(text.replace('"snapshot-id":1,', `"snapshot-id":${id},`)));
    const catalog = catalogAt(uri);
    const loaded = await catalog.loadTable('peaks');
    expect(loaded?.metadata.refs['main']).toEqual({ 'snapshot-id': id, type: 'branch' });
    await catalog.commitTable('peaks', [{ ref: `"${id}"`, 'snapshot-id': printId(id) }], []);
    await catalog.close();
    expect(received.at(-1)?.body).toContain(
      String.raw`{"ref":"\"9007199254740993123\"","snapshot-id":9007199254740993123}`,
    );
  });

  it.each(['-1', '1e3', '99999999999999999999', 'x'])(
    'cannot make a token of the text %j',
    async (token) => {
      const properties = { ...METADATA.properties, 'datagrid.token': token };
      const uri = await listen(json({ metadata: { ...METADATA, properties } }));
      await expect(claimAt(uri)).rejects.toMatchObject({ token: Number.MAX_SAFE_INTEGER });
    },
  );
});
