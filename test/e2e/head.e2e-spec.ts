import { newDatagrid, newTeam, type Team } from '../support/fixture';
import { TestApp } from '../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, [{ key: 't', type: 'text' }])}/rows`;
  await team.owner.api.post(rows, { values: { t: 'ä' } });
});

afterAll(() => app.close());

describe('HEAD', () => {
  it('returns the status and headers of GET without the body', async () => {
    for (const path of ['/workspaces', rows, rows.replace('/rows', ''), `${rows}/1`, '/me']) {
      const get = await team.viewer.api.get(path);
      const head = await team.viewer.api.send('HEAD', path);
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      for (const name of ['etag', 'link', 'content-type', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  it('returns 304 if the ETag matches', async () => {
    const etag = (await team.viewer.api.get(rows)).headers.get('etag') ?? '';
    const head = await team.viewer.api.send('HEAD', rows, undefined, { 'if-none-match': etag });
    expect(head.status).toBe(304);
  });

  it('returns the status of an error without the body', async () => {
    for (const [path, status] of [
      [`${rows}/99`, 404],
      ['/nothing', 404],
      ['/workspaces?page=0', 400],
    ] as const) {
      const head = await team.viewer.api.send('HEAD', path);
      expect([head.status, head.text]).toEqual([status, '']);
    }
    expect((await app.api().send('HEAD', rows)).status).toBe(401);
  });
});
