import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
const lists: string[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  const workspace = await newWorkspace(team.owner.api);
  const datagrid = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }], workspace);
  await team.owner.api.post(`${datagrid}/rows`, { values: {} });
  const ids = { workspaceId: workspace, datagridId: datagrid.slice(11), rowId: '1', key: 'n' };
  for (const route of routesOf(app).filter(({ method }) => method === 'GET')) {
    const path = pathOf(route, ids);
    const { body } = await team.viewer.api.get(path);
    if ('meta' in body) lists.push(path);
  }
});

afterAll(() => app.close());

it('promise 52: there are lists to try', () => {
  expect(lists.length).toBeGreaterThanOrEqual(4);
});

describe.each(['page', 'limit'])('promise 52: %s is 400 on every list', (name) => {
  const tooLarge = name === 'limit' ? ['201', '1000'] : ['45035996273705', '9007199254740991'];

  it.each(['0', '-1', '9223372036854775808', '99999999999999999999', ...tooLarge])(
    'of %s',
    async (value) => {
      for (const path of lists) {
        const answer = await team.viewer.api.get(`${path}?${name}=${value}`);
        expectFailure(answer, 'invalid_request', [`${name} out_of_range`]);
      }
    },
  );

  it.each([
    '1.5',
    '1e21',
    '1e1',
    '',
    '%20',
    '+1',
    '%2B1',
    '01',
    '1%20',
    'x',
    '0x10',
    'NaN',
    '1,2',
    '%D9%A1',
    '%00',
    '%zz',
    'null',
  ])('of %j', async (value) => {
    for (const path of lists) {
      const answer = await team.viewer.api.get(`${path}?${name}=${value}`);
      expectFailure(answer, 'invalid_request', [`${name} invalid_format`]);
    }
  });

  it('without a value', async () => {
    for (const path of lists) {
      const answer = await team.viewer.api.get(`${path}?${name}`);
      expectFailure(answer, 'invalid_request', [`${name} invalid_format`]);
    }
  });

  it('sent twice, even the same', async () => {
    for (const path of lists) {
      const answer = await team.viewer.api.get(`${path}?${name}=1&${name}=1`);
      expectFailure(answer, 'invalid_request', [`${name} repeated`]);
    }
  });

  it('written as a list or an object', async () => {
    for (const path of lists) {
      const list = await team.viewer.api.get(`${path}?${name}[]=1`);
      expectFailure(list, 'invalid_request', [`${name}[] unknown_parameter`]);
      const object = await team.viewer.api.get(`${path}?${name}[a]=1`);
      expectFailure(object, 'invalid_request', [`${name}[a] unknown_parameter`]);
    }
  });
});

it('promise 52: both are named where both are bad', async () => {
  for (const path of lists) {
    const answer = await team.viewer.api.get(`${path}?limit=0&page=x`);
    expectFailure(answer, 'invalid_request', ['page invalid_format', 'limit out_of_range']);
  }
});
