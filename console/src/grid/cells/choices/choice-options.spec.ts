import { choiceOptions, toggled } from './choice-options';

const CHOICES = ['Dark red', 'red', 'Blue'];

const list = (typed: string, chosen: readonly string[] = [], mayAdd = false): string[] =>
  choiceOptions(CHOICES, chosen, typed, mayAdd).map(
    (option) => `${option.kind === 'add' ? '+' : option.isChosen ? '*' : ''}${option.choice}`,
  );

describe('choiceOptions', () => {
  it('returns all choices in their order without a text', () => {
    expect(list('')).toEqual(CHOICES);
    expect(list('  ')).toEqual(CHOICES);
  });

  it('returns the choices that start with the text before those that contain it, in any case', () => {
    expect(list('RED')).toEqual(['red', 'Dark red']);
    expect(list('lu')).toEqual(['Blue']);
    expect(list('green')).toEqual([]);
  });

  it('marks chosen values, and lists those that are no choices any longer', () => {
    expect(list('', ['red', 'old'])).toEqual(['Dark red', '*red', 'Blue', '*old']);
  });

  it('offers to add a text that is no choice, at the end', () => {
    expect(list(' Red ', [], true)).toEqual(['red', 'Dark red', '+Red']);
    expect(list('red', [], true)).toEqual(['red', 'Dark red']);
    expect(list('', [], true)).toEqual(CHOICES);
    expect(list('x'.repeat(201), [], true)).toEqual([]);
  });
});

describe('toggled', () => {
  it('replaces a single choice, and adds or removes one of several', () => {
    expect(toggled(['a'], 'b', false)).toEqual(['b']);
    expect(toggled(['a'], 'a', false)).toEqual(['a']);
    expect(toggled(['a'], 'b', true)).toEqual(['a', 'b']);
    expect(toggled(['a', 'b'], 'a', true)).toEqual(['b']);
  });
});
