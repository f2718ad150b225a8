import { newDatagrid } from '../../support/fixture';
import { eventually } from '../../support/eventually';
import { TestApp, type Member } from '../../support/test-app';
import { SlowImport } from './sending';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.start({
    beforeListen: (server) => {
      const timeouts = { headersTimeout: 100, requestTimeout: 200 };
      Object.assign(server, { ...timeouts, connectionsCheckingInterval: 50 });
    },
  });
  owner = await app.newAccount();
});

afterAll(() => app.close());

it('An import may take longer than requests may, as long as its sender goes on', async () => {
  const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  const sent = SlowImport.start(app, owner, grid);
  const until = Date.now() + 600;
  let lines = 0;
  await eventually(() => {
    sent.write('{}\n');
    lines += 1;
    return Date.now() > until;
  });
  sent.end();
  const { status, body } = await sent.answer;
  expect([status, body.data.created]).toEqual([201, lines]);
});
