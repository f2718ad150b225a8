import { isRowId, linkedIds, typedIds } from './linked-ids';

const link = { type: 'link' } as const;
const multiLink = { type: 'multiLink' } as const;

describe('linkedIds', () => {
  it('returns the id of a link, and the ids of a list', () => {
    expect(linkedIds(link, ' 12 ')).toEqual(['12']);
    expect(linkedIds(multiLink, '[3,1]')).toEqual(['3', '1']);
  });

  it('returns no id for texts that are none', () => {
    for (const typed of ['', 'Alpine', '0', '-1', '1.5', '1e3']) {
      expect(linkedIds(link, typed)).toEqual([]);
      expect(linkedIds(multiLink, typed)).toEqual([]);
    }
    expect(linkedIds(multiLink, '["a",2]')).toEqual(['2']);
  });
});

describe('typedIds', () => {
  it('returns what `linkedIds` reads', () => {
    expect(typedIds(link, ['12'])).toBe('12');
    expect(typedIds(multiLink, ['3', '1'])).toBe('[3,1]');
    expect([typedIds(link, []), typedIds(multiLink, [])]).toEqual(['', '']);
  });
});

describe('isRowId', () => {
  it('accepts positive integers of up to 16 digits', () => {
    expect(['1', '9007199254740991'].map(isRowId)).toEqual([true, true]);
    expect(['', '01', '12345678901234567', 'a'].map(isRowId)).toEqual([false, false, false, false]);
  });
});
