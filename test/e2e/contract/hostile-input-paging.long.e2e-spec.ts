import { acceptedParameters } from '../../../src/platform/http/query';
import { newTeam, type Team } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
let team: Team;
let existing: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  existing = await newIds(team.owner);
  const webhooks = `/workspaces/${existing.workspaceId}/webhooks`;
  // A delivery to list.
  await team.owner.api.post(`${webhooks}/${existing.webhookId}/test`);
  await app.sql.query(
    `INSERT INTO connection_runs (connection_id, id, datagrid_id, started_at, ended_at, rows, bytes)
     VALUES ($1, $1, $2, now(), now(), 0, 0)`,
    [existing.connectionId, existing.datagridId],
  );
  await app.sql.query(
    `INSERT INTO scheduled_import_runs (scheduled_import_id, id, started_at, ended_at, rows_read,
       created, updated, unchanged, deleted, rejected)
     VALUES ($1, $1, now(), now(), 0, 0, 0, 0, 0, 0)`,
    [existing.scheduledImportId],
  );
});

afterAll(() => app.close());

/** Returns the path of every route with the parameter `page`. */
function lists(): string[] {
  const routes = routesOf(app).filter(({ handler }) =>
    acceptedParameters(handler).includes('page'),
  );
  return routes.map((route) => pathOf(route, existing));
}

const BAD_VALUES = [
  '0',
  '-1',
  '-0',
  '1.5',
  '1.0',
  '1e0',
  '1e21',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '1'.repeat(400),
  '',
  '%20',
  '%201',
  '1%20',
  '+1',
  '%2B1',
  '01',
  '00',
  '0x10',
  '1n',
  '1_000',
  '1,2',
  'one',
  'true',
  'null',
  'NaN',
  'Infinity',
  '[1]',
  '%D9%A1',
  '%EF%BC%91',
  '%00',
  '1%00',
  '1%0A',
];

describe('a list', () => {
  it('with page and limit is known to this test', () => {
    const connections = `/workspaces/${existing.workspaceId}/connections`;
    expect(lists().sort()).toEqual(
      [
        '/trash',
        '/workspaces',
        `/workspaces/${existing.workspaceId}/datagrids`,
        `/workspaces/${existing.workspaceId}/sql/tables`,
        `/workspaces/${existing.workspaceId}/sql/queries`,
        `/datagrids/${existing.datagridId}/rows`,
        `/datagrids/${existing.datagridId}/records`,
        `/datagrids/${existing.datagridId}/imports`,
        `/datagrids/${existing.datagridId}/trash/columns`,
        `/datagrids/${existing.datagridId}/views`,
        `/workspaces/${existing.workspaceId}/webhooks`,
        `/workspaces/${existing.workspaceId}/webhooks/${existing.webhookId}/deliveries`,
        connections,
        `${connections}/${existing.connectionId}/tables`,
        `${connections}/${existing.connectionId}/runs`,
        `${connections}/${existing.connectionId}/imports`,
        `${connections}/${existing.connectionId}/imports/${existing.scheduledImportId}/runs`,
      ].sort(),
    );
  });

  /** Asserts that every list rejects the query and names the parameter. */
  async function expectRejected(
    query: string,
    name: string,
    codes: readonly string[],
  ): Promise<void> {
    for (const path of lists()) {
      const response = await team.admin.api.get(`${path}?${query}`);
      expect([query, expectErrorShape(response)]).toEqual([query, 'invalid_request']);
      const { details } = response.body.error as { details: { field: string; code: string }[] };
      expect(details.map(({ field }) => field)).toEqual([name]);
      expect(codes).toContain(details[0]?.code);
    }
  }

  describe.each([
    ['page', 'limit'],
    ['limit', 'page'],
  ])('with an invalid %s', (name, other) => {
    it.each(BAD_VALUES)('returns 400 for the value %j', async (value) => {
      const codes = ['invalid_format', 'out_of_range'];
      await expectRejected(`${name}=${value}`, name, codes);
      await expectRejected(`${other}=1&${name}=${value}`, name, codes);
    });

    it('returns 400 without a value', async () => {
      await expectRejected(name, name, ['invalid_format']);
      await expectRejected(`${other}=1&${name}`, name, ['invalid_format']);
    });

    it.each([
      (it: string) => `${it}=1&${it}=1`,
      (it: string) => `${it}=1&${it}=2&${it}=3`,
      (it: string) => `${it}=&${it}=1`,
      (it: string) => `${it}=1&%${it.charCodeAt(0).toString(16)}${it.slice(1)}=1`,
    ])('returns 400 if it is repeated, %#', async (query) => {
      await expectRejected(query(name), name, ['duplicate_parameter']);
    });

    it('returns 400 under another name', async () => {
      for (const alias of [
        `${name}[]`,
        `${name}[0]`,
        name.toUpperCase(),
        `${name}%20`,
        `%20${name}`,
      ]) {
        await expectRejected(`${alias}=1`, decodeURIComponent(alias), ['unknown_parameter']);
      }
    });
  });

  it('returns 400 for a limit above 200', async () => {
    await expectRejected('limit=201', 'limit', ['out_of_range']);
    for (const path of lists()) {
      expect((await team.admin.api.get(`${path}?limit=200`)).status).toBe(200);
    }
  });

  it('returns an empty page for the highest page number and 400 for the next one', async () => {
    const last = Math.floor(Number.MAX_SAFE_INTEGER / 200);
    for (const path of lists()) {
      const { status, body } = await team.admin.api.get(`${path}?limit=200&page=${String(last)}`);
      expect([status, body.data, body.meta.total]).toEqual([200, [], 1]);
    }
    await expectRejected(`page=${String(last + 1)}`, 'page', ['out_of_range']);
  });

  it('returns 400 with both names if both are invalid', async () => {
    for (const path of lists()) {
      const { status, body } = await team.admin.api.get(`${path}?page=0&limit=x`);
      const { details } = body.error as { details: { field: string }[] };
      expect([status, details.map(({ field }) => field)]).toEqual([400, ['page', 'limit']]);
    }
  });
});
