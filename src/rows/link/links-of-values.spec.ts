import type { LinkColumn } from '../../datagrids/schema/datagrid-schema';
import { linkedIdsIn, MAX_WRITTEN_LINKS, requireFewLinks } from './links-of-values';

const one = { slot: 'one' } as LinkColumn;
const many = { slot: 'many' } as LinkColumn;

describe('the links in values', () => {
  it('are the id of a link, those of an array, and none without a value', () => {
    const values = { one: 3, many: [5, 7] };
    expect(linkedIdsIn(values, one)).toEqual([3]);
    expect(linkedIdsIn(values, many)).toEqual([5, 7]);
    expect(linkedIdsIn({}, many)).toEqual([]);
  });

  it('are counted in all rows and columns together', () => {
    const rows = Array.from({ length: MAX_WRITTEN_LINKS / 2 }, () => ({ one: 1, many: [1] }));
    const links = [one, many];
    expect(() => {
      requireFewLinks({ links }, rows, 'rows');
    }).not.toThrow();
    expect(() => {
      requireFewLinks({ links }, [...rows, { one: 1 }], 'rows');
    }).toThrow('rows: has 100001 links; the maximum is 100000.');
  });
});
