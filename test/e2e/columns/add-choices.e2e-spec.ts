import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

beforeEach(async () => {
  grid = await newDatagrid(owner.api, [
    { key: 'size', type: 'select', options: { choices: ['small', 'large'] } },
    { key: 'name', type: 'text' },
  ]);
});

afterAll(() => app.close());

describe('addChoices', () => {
  it('adds choices at the end and skips those that exist', async () => {
    const body = { addChoices: ['medium', 'small'] };
    const { options } = dataOf(await owner.api.patch(`${grid}/columns/size`, body), 200);
    expect(options.choices).toEqual(['small', 'large', 'medium']);
    dataOf(await owner.api.post(`${grid}/rows`, { values: { size: 'medium' } }), 201);
  });

  it('loses none of those that several clients add at the same time', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `size ${String(index)}`);
    await Promise.all(
      names.map(async (name) => {
        const body = { addChoices: [name] };
        dataOf(await owner.api.patch(`${grid}/columns/size`, body), 200);
      }),
    );
    const { options } = dataOf(await owner.api.get(`${grid}/columns/size`), 200);
    expect([...options.choices].sort()).toEqual(['large', 'small', ...names].sort());
  });

  it('follow the choices of options in the same request', async () => {
    const body = { addChoices: ['a'], options: { choices: ['b'] } };
    const { options } = dataOf(await owner.api.patch(`${grid}/columns/size`, body), 200);
    expect(options.choices).toEqual(['b', 'a']);
  });

  it('gives the choices of a column that becomes a select', async () => {
    const body = { type: 'select', addChoices: ['x'] };
    const { options } = dataOf(await owner.api.patch(`${grid}/columns/name`, body), 200);
    expect(options.choices).toEqual(['x']);
  });

  it.each<[string, object, string]>([
    ['size', { addChoices: ['a'], options: { choices: {} } }, 'options.choices wrong_type'],
    ['size', { addChoices: ['a'], options: { choices: 'bc' } }, 'options.choices wrong_type'],
    ['size', { addChoices: ['a'], options: { choices: null } }, 'options.choices wrong_type'],
    [
      'size',
      { addChoices: ['a'], options: { choices: ['b', 'b'] } },
      'options.choices.1 duplicate_choice',
    ],
    ['size', { addChoices: [] }, 'addChoices invalid_format'],
    ['size', { addChoices: ['a', 'a'] }, 'addChoices invalid_format'],
    ['size', { addChoices: [''] }, 'addChoices invalid_format'],
    ['size', { addChoices: ['x'.repeat(201)] }, 'addChoices invalid_format'],
    ['size', { addChoices: 'a' }, 'addChoices invalid_format'],
    ['name', { addChoices: ['a'] }, 'addChoices incompatible_parameters'],
    [
      'size',
      { addChoices: Array.from({ length: 999 }, (_, index) => String(index)) },
      'options.choices out_of_range',
    ],
  ])('of %s returns 400 for %j', async (key, body, detail) => {
    const response = await owner.api.patch(`${grid}/columns/${key}`, body);
    expectFailure(response, 'invalid_request', [detail]);
  });
});
