import { columnOptionsProblems } from './column-options';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES } from './column-type';

function found(...args: Parameters<typeof columnOptionsProblems>): string[] {
  return columnOptionsProblems(...args).map(({ field, code }) => `${field} ${code}`);
}

describe('columnOptionsProblems', () => {
  it.each(COLUMN_TYPE_NAMES.filter((type) => !COLUMN_TYPES[type].hasChoices))(
    'rejects choices for %s',
    (type) => {
      expect(found(type, undefined)).toEqual([]);
      expect(found(type, {})).toEqual([]);
      expect(found(type, { choices: ['a'] })).toEqual(['options.choices unknown_property']);
    },
  );

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
