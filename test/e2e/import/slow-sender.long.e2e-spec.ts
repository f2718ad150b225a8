import type { Server } from 'node:http';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { sendRaw } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';
import { SlowImport } from './sending';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.start({
    beforeListen: (server) => {
      Object.assign(server, { connectionsCheckingInterval: 50 });
    },
  });
  owner = await app.newAccount();
});

afterAll(() => app.close());

it('allows an import more time than other requests while its sender continues', async () => {
  const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  const sent = SlowImport.start(app, owner, grid);
  sent.write('{}\n');
  await eventually(async () => {
    const { body } = await owner.api.get(`${grid}/imports`);
    return (body.data as Json[]).some(({ state }) => state === 'running');
  });
  // Sets the limits only now, so that they do not apply to the setup.
  const server: Server = app.nest.getHttpServer();
  Object.assign(server, { headersTimeout: 100, requestTimeout: 100 });
  let lines = 1;
  let cut = 0;
  const later = sendRaw(app.port, 'GET /').then(({ status }) => (cut = status));
  await eventually(() => {
    sent.write('{}\n');
    lines += 1;
    return cut > 0;
  });
  await later;
  sent.end();
  const { status, body } = await sent.response;
  expect([cut, status, body.data.created]).toEqual([408, 201, lines]);
});
