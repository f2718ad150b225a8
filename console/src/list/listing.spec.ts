import { matching, PAGE_SIZE } from './listing';

const named = (
  name: string,
  description = '',
): { id: string; name: string; description: string } => ({
  id: name,
  name,
  description,
});

describe('matching', () => {
  it('finds all words in name or description, ignoring case', () => {
    const items = [named('Logistics', 'All that flies'), named('Flies'), named('Öfen')];
    const names = (search: string): string[] =>
      matching({ items, isCut: false }, search, 1).items.map(({ name }) => name);
    expect(names('FLIES')).toEqual(['Logistics', 'Flies']);
    expect(names('flies  log')).toEqual(['Logistics']);
    expect(names('öf')).toEqual(['Öfen']);
    expect(names('none')).toEqual([]);
  });

  it('pages the result and reports if the list was cut', () => {
    const items = Array.from({ length: PAGE_SIZE + 5 }, (_, index) => named(`Row ${index}`));
    const second = matching({ items, isCut: true }, 'row', 2);
    expect(second).toMatchObject({ total: PAGE_SIZE + 5, pages: 2, isCut: true });
    expect(second.items.map(({ name }) => name)).toEqual(
      [20, 21, 22, 23, 24].map((n) => `Row ${n}`),
    );
  });
});
