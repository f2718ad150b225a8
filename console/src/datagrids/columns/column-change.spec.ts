import type { Column } from '../datagrid';
import {
  changedBody,
  draftOf,
  EMPTY_DRAFT,
  isCheckedAgainstRows,
  newColumnBody,
} from './column-change';

const COLUMN: Column = {
  key: 'size',
  title: 'Size',
  type: 'select',
  required: false,
  unique: false,
  indexed: true,
  options: { choices: ['small', 'large'] },
};

describe('a change of a column', () => {
  it('sends what differs, and nothing where nothing does', () => {
    const draft = draftOf(COLUMN);
    expect(changedBody(COLUMN, draft)).toEqual({});
    expect(changedBody(COLUMN, { ...draft, title: 'Width', indexed: false })).toEqual({
      title: 'Width',
      indexed: false,
    });
    expect(changedBody(COLUMN, { ...draft, choices: 'small\n\nhuge\n' })).toEqual({
      options: { choices: ['small', 'huge'] },
    });
  });

  it('takes the choices along to another type with choices, and away from one without', () => {
    const draft = draftOf(COLUMN);
    expect(changedBody(COLUMN, { ...draft, type: 'multiSelect' })).toEqual({
      type: 'multiSelect',
      options: { choices: ['small', 'large'] },
    });
    expect(changedBody(COLUMN, { ...draft, type: 'text' })).toEqual({ type: 'text', options: {} });
  });

  it('is looked at beforehand where rows may conflict with it', () => {
    expect(isCheckedAgainstRows({ title: 'Width', indexed: true, required: false })).toBe(false);
    for (const body of [
      { type: 'text' as const },
      { required: true },
      { unique: true },
      { options: {} },
    ]) {
      expect(isCheckedAgainstRows(body)).toBe(true);
    }
  });
});

describe('a new column', () => {
  it('sends what was set', () => {
    expect(newColumnBody({ ...EMPTY_DRAFT, key: 'name' })).toEqual({ key: 'name', type: 'text' });
    expect(
      newColumnBody({
        ...EMPTY_DRAFT,
        key: 'size',
        title: 'Size',
        type: 'select',
        choices: 'a\nb',
        unique: true,
      }),
    ).toEqual({
      key: 'size',
      title: 'Size',
      type: 'select',
      unique: true,
      options: { choices: ['a', 'b'] },
    });
  });
});
