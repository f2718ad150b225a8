import type { VerifyService } from '../../../src/verification/verify.service';
import { dataOf, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { verifierOf } from '../../support/verify';
import { discard, idOf, newSheet, restore } from './trashed';

let app: TestApp;
let owner: Member;
let verifier: VerifyService;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  verifier = verifierOf(app);
});

afterAll(() => app.close());

describe('verify of a datagrid in the trash', () => {
  it('reports no problem if there is none', async () => {
    const workspace = await newWorkspace(owner.api);
    await discard(owner.api, await newSheet(owner.api, workspace));
    await newSheet(owner.api, workspace);
    await discard(owner.api, `/workspaces/${workspace}?cascade=true`);
    expect(await verifier.verify(false)).toEqual({
      ok: true,
      datagrids: 2,
      problems: [],
      repaired: 0,
    });
  });

  it('repairs a problem, so that the datagrid can be restored', async () => {
    const path = await newSheet(owner.api);
    await discard(owner.api, path);
    const wrong = 'UPDATE datagrid_counters SET row_count = 99 WHERE datagrid_id = $1';
    await app.sql.query(wrong, [idOf(path)]);
    const { problems } = await verifier.verify(true);
    expect(problems).toMatchObject([
      { datagridId: idOf(path), kind: 'row_count', figures: { stored: 99, actual: 4 } },
    ]);
    expect(dataOf(await restore(owner.api, path), 200).rowCount).toBe(4);
  });
});
