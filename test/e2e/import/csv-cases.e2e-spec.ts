import { CSV_CASES } from '../../support/csv-cases';
import { datagridFor, expectRows } from '../../support/csv-import';
import { newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { completed, importCsv } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /datagrids/{datagridId}/rows/import', () => {
  it.each(CSV_CASES)('reads $name as the console and the command line do', async (each) => {
    const { api } = team.owner;
    const grid = await datagridFor(api, each);
    const encoding = each.encoding === undefined ? '' : `&encoding=${each.encoding}`;
    const response = await importCsv(api, grid, each.file, `?onError=skip${encoding}`);
    await expectRows(api, grid, await completed(api, response), each);
  });
});
