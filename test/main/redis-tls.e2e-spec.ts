import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { TestApp } from '../support/test-app';
import { ServiceProcess } from './service-process';

jest.setTimeout(60_000);

let app: TestApp;
let directory: string;
let redis: RedisServer;

beforeAll(async () => {
  app = await TestApp.shared();
  directory = await mkdtemp(join(tmpdir(), 'datagrid-redis-tls-'));
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await redis.remove();
  await rm(directory, { recursive: true });
  await app.close();
});

describeWithRedis('a rediss:// URL', () => {
  it('connects only to a Redis with a trusted certificate', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const tls = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
    await writeFile(tls.certFile, cert);
    await writeFile(tls.keyFile, key);
    redis = await RedisServer.start({ tls });
    const settings = { DATABASE_URL: app.database.url, REDIS_URL: redis.url };

    const strict = await ServiceProcess.ready(settings);
    const warning = await eventually(() =>
      strict.log().find(({ msg }) => msg === 'redis unavailable, using per-instance limits'),
    );
    // Newer releases of Node add a hint.
    expect(warning['reason']).toMatch(/^self-signed certificate/);
    expect(await strict.stop()).toBe(0);

    const trusting = await ServiceProcess.ready({
      ...settings,
      NODE_EXTRA_CA_CERTS: tls.certFile,
    });
    await eventually(
      async () =>
        (await redis.query((client) => client.exists('datagrid:probe'), tls.certFile)) === 1,
    );
    // The connection may have been late on a busy machine, so only the certificate is checked.
    expect(trusting.stdout()).not.toContain('certificate');
    expect(await trusting.stop()).toBe(0);
  });
});
