import type { Column } from '../datagrid';
import { changedBody, isCheckedAgainstRows, newColumnBody } from './column-change';
import { draftOf, EMPTY_DRAFT } from './column-draft';

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
    const harmless = { key: 'width', title: 'Width', indexed: true, required: false };
    expect(isCheckedAgainstRows(harmless, COLUMN)).toBe(false);
    for (const body of [
      { type: 'text' as const },
      { required: true },
      { unique: true },
      { options: { choices: ['a'] } },
    ]) {
      expect(isCheckedAgainstRows(body, COLUMN)).toBe(true);
    }
    const caseless = { options: { ignoreCase: true } };
    expect(isCheckedAgainstRows(caseless, COLUMN)).toBe(false);
    expect(isCheckedAgainstRows(caseless, { unique: true })).toBe(true);
    expect(isCheckedAgainstRows({ ...caseless, unique: false }, { unique: true })).toBe(false);
  });

  it('contains the new key and the keys to release', () => {
    const draft = { ...draftOf(COLUMN), key: 'width', releaseKeys: ['dimension'] };
    expect(changedBody(COLUMN, draft)).toEqual({ key: 'width', releaseKeys: ['dimension'] });
  });

  it('switches ignoreCase on and off, keeps it for another type, and drops it with the others', () => {
    const plain: Column = { ...COLUMN, type: 'text', options: {} };
    const caseless: Column = { ...plain, options: { ignoreCase: true } };
    const on = { options: { ignoreCase: true } };
    expect(changedBody(plain, { ...draftOf(plain), ignoreCase: true })).toEqual(on);
    expect(changedBody(caseless, { ...draftOf(caseless), ignoreCase: false })).toEqual({
      options: {},
    });
    const other = { ...draftOf(caseless), type: 'email' as const };
    expect(changedBody(caseless, other)).toEqual({ type: 'email', ...on, convert: true });
    expect(changedBody(caseless, { ...other, type: 'integer' })).toEqual({
      type: 'integer',
      convert: true,
    });
  });

  it('contains only the title and the key of a computed column', () => {
    const lookup: Column = {
      ...COLUMN,
      type: 'lookup',
      indexed: false,
      options: { link: 'airline', column: 'name' },
    };
    expect(changedBody(lookup, { ...draftOf(lookup), title: 'Name', key: 'name' })).toEqual({
      title: 'Name',
      key: 'name',
    });
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

  it('of a computed column has its options, and no rules that were set for another type', () => {
    const rules = { required: true, unique: true, indexed: true, ignoreCase: true };
    const draft = { ...EMPTY_DRAFT, ...rules, key: 'a', defaultValue: 'x', column: 'name' };
    expect(newColumnBody({ ...draft, type: 'lookup', link: 'airline' })).toEqual({
      key: 'a',
      type: 'lookup',
      options: { link: 'airline', column: 'name' },
    });
    expect(newColumnBody({ ...draft, type: 'count', datagridId: 'A' })).toEqual({
      key: 'a',
      type: 'count',
      options: { datagridId: 'A', column: 'name' },
    });
  });

  it('has ignoreCase and start only for types that take them', () => {
    const draft = { ...EMPTY_DRAFT, key: 'a', ignoreCase: true, start: ' 1000 ' };
    const optionsOf = (type: 'text' | 'email' | 'url' | 'autonumber'): unknown =>
      newColumnBody({ ...draft, type }).options;
    expect(optionsOf('text')).toEqual({ ignoreCase: true });
    expect(optionsOf('email')).toEqual({ ignoreCase: true });
    expect(optionsOf('url')).toBeUndefined();
    expect(optionsOf('autonumber')).toEqual({ start: 1000 });
  });
});
