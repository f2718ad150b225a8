import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('GET /datagrids/{datagridId}/rows, of very large rows', () => {
  it('400: refuses a page that would not fit, and gives a smaller one', async () => {
    const path = await newDatagrid(team.owner.api, [{ key: 'j', type: 'json' }]);
    const id = path.slice('/datagrids/'.length);
    // PostgreSQL prints each of these numbers with 309 digits: 15 MB a row.
    await app.sql.query(
      `INSERT INTO rows SELECT $1, n, jsonb_build_object('j', (
         SELECT jsonb_agg('1e308'::jsonb) FROM generate_series(1, 50000)
       )), 1, now(), now() FROM generate_series(1, 10) n`,
      [id],
    );
    await app.sql.query(
      'UPDATE datagrid_counters SET last_row_id = 10, row_count = 10 WHERE datagrid_id = $1',
      [id],
    );
    const answer = await team.owner.api.get(`${path}/rows`);
    expectFailure(answer, 'invalid_request', ['limit too_large']);
    expect((await team.owner.api.get(`${path}/rows?limit=1`)).status).toBe(200);
  });
});
