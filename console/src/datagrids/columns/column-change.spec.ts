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

describe('changedBody', () => {
  it('contains only the changed properties', () => {
    const draft = draftOf(COLUMN);
    expect(changedBody(COLUMN, draft)).toEqual({});
    expect(changedBody(COLUMN, { ...draft, title: 'Width', indexed: false })).toEqual({
      title: 'Width',
      indexed: false,
    });
    expect(changedBody(COLUMN, { ...draft, choices: 'small\n\nhuge\n' })).toEqual({
      options: { choices: ['small', 'huge'] },
      convert: true,
    });
  });

  it('takes the choices from the values if a column of another type gets none', () => {
    const text: Column = { ...COLUMN, type: 'text', options: {} };
    const draft = draftOf(text);
    expect(changedBody(text, { ...draft, type: 'select' })).toEqual({
      type: 'select',
      convert: true,
    });
    expect(changedBody(text, { ...draft, type: 'select', choices: 'a' })).toEqual({
      type: 'select',
      options: { choices: ['a'] },
      convert: true,
    });
  });

  it('keeps the choices for a type with choices and removes them for any other', () => {
    const draft = draftOf(COLUMN);
    expect(changedBody(COLUMN, { ...draft, type: 'multiSelect' })).toEqual({
      type: 'multiSelect',
      options: { choices: ['small', 'large'] },
      convert: true,
    });
    expect(changedBody(COLUMN, { ...draft, type: 'text' })).toEqual({
      type: 'text',
      options: {},
      convert: true,
    });
  });

  it('isCheckedAgainstRows returns true if rows may conflict with the change', () => {
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

describe('newColumnBody', () => {
  it('contains only the properties that were set', () => {
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
