import {
  COLUMN_TYPE_NAMES,
  isComputed,
  isLink,
} from '../../../src/datagrids/column-type/column-type';
import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { freshName, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  path = `/workspaces/${await newWorkspace(team.owner.api)}/datagrids`;
});

afterAll(() => app.close());

const create = (columns: unknown): Promise<ApiResponse> =>
  team.owner.api.post(path, { name: freshName(), columns });

const many = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ key: `c${String(n)}`, type: 'text' }));

const choices = ['a', 'b'];
/** Links need a datagrid: see the tests of links. */
const UNLINKED_TYPES = COLUMN_TYPE_NAMES.filter((type) => !isLink(type) && !isComputed(type));
const longKey = `k${'x'.repeat(62)}`;

describe('columns of POST /workspaces/{workspaceId}/datagrids', () => {
  describe('a valid request', () => {
    it.each(UNLINKED_TYPES)('creates a column of type %s', async (type) => {
      const options = type === 'select' || type === 'multiSelect' ? { choices } : {};
      const { status, body } = await create([{ key: 'c', type, options }]);
      expect({ status, column: body.data.columns[0] }).toEqual({
        status: 201,
        column: {
          key: 'c',
          title: 'c',
          type,
          required: false,
          unique: false,
          indexed: false,
          options: type === 'autonumber' ? { start: 1 } : options,
        },
      });
    });

    it.each(['a', 'aB_9', longKey, 'constructor', 'values', 'id'])(
      'accepts the key %s',
      async (key) => {
        const { status, body } = await create([{ key, type: 'text' }]);
        expect({ status, key: body.data.columns[0].key }).toEqual({ status: 201, key });
      },
    );

    it('accepts keys that differ only in case', async () => {
      expect(
        (
          await create([
            { key: 'ab', type: 'text' },
            { key: 'aB', type: 'text' },
          ])
        ).status,
      ).toBe(201);
    });

    it('creates 500 columns in the order sent', async () => {
      const { status, body } = await create(many(500));
      const keys = (body.data.columns as { key: string }[]).map(({ key }) => key);
      expect(status).toBe(201);
      expect(keys).toEqual(Array.from({ length: 500 }, (_, n) => `c${String(n)}`));
    });
  });

  describe('an invalid request', () => {
    it.each<[string, unknown, string]>([
      ['an object for the columns', {}, 'columns wrong_type'],
      ['null for the columns', null, 'columns wrong_type'],
      ['null for a column', [null], 'columns.0 wrong_type'],
      ['a string for a column', ['a'], 'columns.0 wrong_type'],
      ['a list for a column', [[]], 'columns.0 wrong_type'],
      ['a list of columns for a column', [many(1)], 'columns.0 wrong_type'],
      ['a column without a key', [{ type: 'text' }], 'columns.0.key invalid_format'],
      ['a column without a type', [{ key: 'a' }], 'columns.0.type not_a_choice'],
      ['an unknown type', [{ key: 'a', type: 'blob' }], 'columns.0.type not_a_choice'],
      ['a type in another case', [{ key: 'a', type: 'Text' }], 'columns.0.type not_a_choice'],
      ['a list for a type', [{ key: 'a', type: ['text'] }], 'columns.0.type not_a_choice'],
      ['an empty title', [{ key: 'a', type: 'text', title: ' ' }], 'columns.0.title out_of_range'],
      [
        'a text for a flag',
        [{ key: 'a', type: 'text', unique: 'yes' }],
        'columns.0.unique wrong_type',
      ],
      [
        'null for a flag',
        [{ key: 'a', type: 'text', required: null }],
        'columns.0.required wrong_type',
      ],
      [
        'a number for a flag',
        [{ key: 'a', type: 'text', indexed: 1 }],
        'columns.0.indexed wrong_type',
      ],
      [
        'a list for options',
        [{ key: 'a', type: 'text', options: [] }],
        'columns.0.options wrong_type',
      ],
      [
        'an unknown property',
        [{ key: 'a', type: 'text', width: 3 }],
        'columns.0.width unknown_property',
      ],
      [
        'a property that every object inherits',
        [{ key: 'a', type: 'text', valueOf: 3 }],
        'columns.0.valueOf unknown_property',
      ],
      [
        'an invalid second column',
        [...many(1), { key: 'B', type: 'text' }],
        'columns.1.key invalid_format',
      ],
      ['501 columns', many(501), 'columns out_of_range'],
      [
        'a unique json',
        [{ key: 'a', type: 'json', unique: true }],
        'columns.0.unique incompatible_parameters',
      ],
      [
        'a unique multiSelect',
        [{ key: 'a', type: 'multiSelect', unique: true, options: { choices } }],
        'columns.0.unique incompatible_parameters',
      ],
      [
        'a select without choices',
        [{ key: 'a', type: 'select' }],
        'columns.0.options.choices required',
      ],
      [
        'a select with no choice',
        [{ key: 'a', type: 'select', options: { choices: [] } }],
        'columns.0.options.choices out_of_range',
      ],
      [
        'a duplicate choice',
        [{ key: 'a', type: 'select', options: { choices: ['x', 'x'] } }],
        'columns.0.options.choices.1 duplicate_choice',
      ],
      [
        'a number for a choice',
        [{ key: 'a', type: 'select', options: { choices: [1] } }],
        'columns.0.options.choices.0 wrong_type',
      ],
      [
        'choices for a text',
        [{ key: 'a', type: 'text', options: { choices } }],
        'columns.0.options.choices unknown_property',
      ],
      [
        'an unknown option',
        [{ key: 'a', type: 'text', options: { width: 3 } }],
        'columns.0.options.width unknown_property',
      ],
    ])('returns 400 for %s', async (_, columns, detail) => {
      expectFailure(await create(columns), 'invalid_request', [detail]);
    });

    it.each(['', 'A', '1a', '_a', 'a-b', 'a b', 'ä', 'a\n', `${longKey}x`, '__proto__'])(
      'returns 400 for the key %j',
      async (key) => {
        const response = await create([{ key, type: 'text' }]);
        expectFailure(response, 'invalid_request', ['columns.0.key invalid_format']);
      },
    );
  });

  it('returns 409 for a duplicate key', async () => {
    const response = await create([...many(2), { key: 'c0', type: 'integer' }]);
    expectFailure(response, 'conflict', ['columns.2.key duplicate']);
  });
});
