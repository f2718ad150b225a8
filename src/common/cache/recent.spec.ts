import { Recent } from './recent';

it('lets go what was used longest ago', () => {
  const recent = new Recent<string>(2);
  recent.set('a', 'A');
  recent.set('b', 'B');
  expect(recent.find('a')).toBe('A');
  recent.set('c', 'C');
  expect(['a', 'b', 'c'].map((key) => recent.find(key))).toEqual(['A', undefined, 'C']);
});

it('counts by weight, an entry that is replaced once, and keeps nothing that is too heavy', () => {
  const recent = new Recent<number>(10, (weight) => weight);
  recent.set('a', 4);
  recent.set('a', 5);
  recent.set('b', 5);
  expect([recent.find('a'), recent.find('b')]).toEqual([5, 5]);
  recent.set('c', 11);
  expect(['a', 'b', 'c'].map((key) => recent.find(key))).toEqual([undefined, undefined, undefined]);
  recent.set('d', 10);
  recent.delete('d');
  recent.set('e', 10);
  expect(recent.find('e')).toBe(10);
});
