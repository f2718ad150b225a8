import { columnOptionsProblems, withOptionDefaults } from './column-options';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES, isComputed, isLink } from './column-type';

function found(...args: Parameters<typeof columnOptionsProblems>): string[] {
  return columnOptionsProblems(...args).map(({ field, code }) => `${field} ${code}`);
}

const ID = '019aa2f4-0000-7000-8000-000000000000';

describe('withOptionDefaults', () => {
  it('restricts deletions by default, and keeps a policy and the options of other types', () => {
    const datagridId = ID.toUpperCase();
    expect(withOptionDefaults('link', { datagridId })).toEqual({
      datagridId: ID,
      onDelete: 'restrict',
    });
    expect(withOptionDefaults('multiLink', { datagridId: ID, onDelete: 'clear' })).toEqual({
      datagridId: ID,
      onDelete: 'clear',
    });
    expect(withOptionDefaults('text', {})).toEqual({});
    expect(withOptionDefaults('autonumber', {})).toEqual({ start: 1 });
    expect(withOptionDefaults('autonumber', { start: 7 })).toEqual({ start: 7 });
  });
});

const PLAIN_TYPES = COLUMN_TYPE_NAMES.filter(
  (type) => !COLUMN_TYPES[type].hasChoices && !isLink(type) && !isComputed(type),
);

describe('columnOptionsProblems', () => {
  it('requires the columns that a lookup and a count read', () => {
    expect(found('lookup', {})).toEqual(['options.link required', 'options.column required']);
    expect(found('lookup', { link: 'a', column: 'b' })).toEqual([]);
    expect(found('lookup', { link: 1, column: 'b', datagridId: ID })).toEqual([
      'options.datagridId unknown_property',
      'options.link wrong_type',
    ]);
    expect(found('lookup', { link: '', column: 'a\0' })).toEqual([
      'options.link invalid_format',
      'options.column invalid_format',
    ]);
    expect(found('count', {})).toEqual(['options.datagridId required', 'options.column required']);
    expect(found('count', { datagridId: ID, column: 'b' })).toEqual([]);
    expect(found('count', { datagridId: 'x', column: [], link: 'a' })).toEqual([
      'options.datagridId invalid_format',
      'options.link unknown_property',
      'options.column wrong_type',
    ]);
    expect(found('link', { datagridId: ID, column: 'b', columnId: 1 })).toEqual([
      'options.columnId unknown_property',
      'options.column unknown_property',
    ]);
  });

  it.each(PLAIN_TYPES)('rejects choices for %s', (type) => {
    expect(found(type, undefined)).toEqual([]);
    expect(found(type, {})).toEqual([]);
    expect(found(type, { choices: ['a'] })).toEqual(['options.choices unknown_property']);
    expect(found(type, { datagridId: ID })).toEqual(['options.datagridId unknown_property']);
  });

  it.each(COLUMN_TYPE_NAMES.filter(isLink))('requires the id of a datagrid for %s', (type) => {
    expect(found(type, undefined)).toEqual(['options.datagridId required']);
    expect(found(type, { datagridId: 'x' })).toEqual(['options.datagridId invalid_format']);
    expect(found(type, { datagridId: ID, onDelete: 'clear' })).toEqual([]);
    expect(found(type, { datagridId: ID, onDelete: 'x' })).toEqual([
      'options.onDelete not_a_choice',
    ]);
    expect(found(type, { datagridId: ID, choices: ['a'] })).toEqual([
      'options.choices unknown_property',
    ]);
  });

  it('accepts a start for autonumber, and for no other type', () => {
    expect(found('autonumber', undefined)).toEqual([]);
    expect(found('autonumber', { start: 0 })).toEqual([]);
    expect(found('autonumber', { start: 1_000_000_000_000 })).toEqual([]);
    expect(found('autonumber', { start: 1_000_000_000_001 })).toEqual([
      'options.start out_of_range',
    ]);
    expect(found('autonumber', { start: -1 })).toEqual(['options.start out_of_range']);
    expect(found('autonumber', { start: '1' })).toEqual(['options.start wrong_type']);
    expect(found('autonumber', { start: 1.5 })).toEqual(['options.start wrong_type']);
    expect(found('integer', { start: 1 })).toEqual(['options.start unknown_property']);
    expect(found('createdBy', { start: 1 })).toEqual(['options.start unknown_property']);
  });

  it.each(['select', 'multiSelect'] as const)('requires choices for %s', (type) => {
    expect(found(type, undefined)).toEqual(['options.choices required']);
    expect(found(type, {})).toEqual(['options.choices required']);
    expect(found(type, { choices: ['a', 'A', ' '] })).toEqual([]);
  });

  it.each([
    [null, ['options wrong_type']],
    [['a'], ['options wrong_type']],
    [{ choices: 'a' }, ['options.choices wrong_type']],
    [{ choices: null }, ['options.choices wrong_type']],
    [{ choices: [] }, ['options.choices out_of_range']],
    [
      { choices: ['a', 1, 'a', ''] },
      [
        'options.choices.1 wrong_type',
        'options.choices.2 duplicate_choice',
        'options.choices.3 out_of_range',
      ],
    ],
    [{ choices: ['a'], colour: 1 }, ['options.colour unknown_property']],
  ])('rejects %j', (options, problems) => {
    expect(found('select', options)).toEqual(problems);
  });

  it('accepts 1,000 choices of 200 code points and rejects more', () => {
    const choices = Array.from(
      { length: 1_000 },
      (_, index) => `${'😀'.repeat(196)}${String(index).padStart(4, '0')}`,
    );
    expect(found('select', { choices })).toEqual([]);
    expect(found('select', { choices: [...choices, 'x'] })).toEqual([
      'options.choices out_of_range',
    ]);
    expect(found('select', { choices: ['😀'.repeat(201)] })).toEqual([
      'options.choices.0 out_of_range',
    ]);
  });
});
