import { randomUUID } from 'node:crypto';
import type { TargetColumn } from '../../src/destinations/destination';
import { describeWithIceberg, IcebergServer } from '../support/iceberg/iceberg-server';
import { CatalogProxy } from './catalog-proxy';
import { csv } from './contract-lines';
import { destinationFor, type IcebergLogin } from './iceberg-tables';
import { fail, StrictS3Server } from './strict-s3-server';

const COLUMNS: readonly TargetColumn[] = [{ id: 1, name: 'name', type: 'text' }];

jest.setTimeout(180_000);

describeWithIceberg('credentials of an Iceberg destination', () => {
  let server: IcebergServer;
  let proxy: CatalogProxy;
  let storage: StrictS3Server;

  beforeAll(async () => {
    server = await IcebergServer.start();
    proxy = await CatalogProxy.start(server.catalogPort);
    storage = await StrictS3Server.start();
  });

  afterAll(async () => {
    await storage.close();
    await proxy.close();
    await server.close();
  });

  it('are those of a client of OAuth 2', async () => {
    const { settings, secretAccessKey } = server;
    const oauth = { ...settings, auth: 'oauth2', clientId: 'sync', scope: 'catalog' };
    await destinationFor({
      settings: oauth,
      secretAccessKey,
      catalogSecret: 'client secret',
    }).test();
  });

  describe('for the storage', () => {
    const table = { id: randomUUID(), name: 'vended', deletions: 'delete' } as const;
    /** Settings without anything about the storage. */
    const login = (): IcebergLogin => {
      const { namespace } = server;
      return { settings: { uri: proxy.uri, namespace }, secretAccessKey: '' };
    };
    const config = (): Record<string, string> => ({
      's3.endpoint': storage.endpoint,
      'client.region': storage.region,
      's3.access-key-id': storage.accessKeyId,
      's3.secret-access-key': storage.secretAccessKey,
      's3.session-token': 'temporary',
    });

    it('are temporary ones of the catalog, with its endpoint and region', async () => {
      proxy.storageConfig = config();
      const writer = await destinationFor(login()).open(table);
      await writer.claim(1);
      await writer.beginLoad(COLUMNS, 'begun');
      await writer.append(COLUMNS, csv([['1', '1', 'a']]), 'first');
      await writer.finishLoad(COLUMNS, 'loaded');
      await writer.close();
      const next = await destinationFor(login()).open(table);
      await expect(next.claim(2)).resolves.toBe('loaded');
      await next.merge(COLUMNS, csv([['1', '2', 'false', 'b']]), 'merged');
      await expect(next.sumBlocks()).resolves.toEqual([
        { block: 0, rows: 1, ids: '1', revisions: '2' },
      ]);
      await next.close();
      expect([...storage.objects.keys()].some((key) => key.endsWith('.parquet'))).toBe(true);
      const tokens = storage.requests.map(({ headers }) => headers['x-amz-security-token']);
      expect(new Set(tokens)).toEqual(new Set(['temporary']));
    });

    it('are missing if the catalog gives none', async () => {
      proxy.storageConfig = {};
      const writer = await destinationFor(login()).open(table);
      await expect(writer.claim(3)).rejects.toThrow(
        'The catalog gives no credentials for the storage. Set `accessKeyId`, and the secret access key in `secret`.',
      );
      await writer.close();
    });

    it('are replaced by the next ones once they have expired', async () => {
      proxy.storageConfig = { ...config(), 's3.session-token': 'expired' };
      storage.intercept = ({ headers }, response) => {
        if (headers['x-amz-security-token'] !== 'expired') return false;
        fail(response, 400, 'ExpiredToken');
        return true;
      };
      const writer = await destinationFor(login()).open(table);
      const claim = writer.claim(4);
      await expect(claim).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(claim).rejects.toThrow('The temporary credentials have expired.');
      await writer.close();
      proxy.storageConfig = config();
      const next = await destinationFor(login()).open(table);
      await expect(next.claim(5)).resolves.toBe('merged');
      await next.close();
    });
  });
});
