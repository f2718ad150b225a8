import { matching, type Entry } from './entries';

const entry = (name: string, note = 'Page'): Entry => ({ id: name, name, note, to: `/${name}` });

const ENTRIES = [entry('API keys'), entry('Airports', 'Europe'), entry('Zürich airport', 'Europe')];

const names = (typed: string): string[] => matching(ENTRIES, typed).map(({ name }) => name);

describe('the entries of the palette', () => {
  it('are found by all words in any order, without case and accents', () => {
    expect(names('europe zurich')).toEqual(['Zürich airport']);
    expect(names('KEYS')).toEqual(['API keys']);
    expect(names('nothing')).toEqual([]);
  });

  it('begin with those whose name starts with the text', () => {
    expect(names('airport')).toEqual(['Airports', 'Zürich airport']);
    expect(names('z')).toEqual(['Zürich airport']);
  });

  it('are all shown for no text, up to a limit', () => {
    expect(names(' ')).toEqual(['API keys', 'Airports', 'Zürich airport']);
    const many = Array.from({ length: 30 }, (_, n) => entry(`Page ${n}`));
    expect(matching(many, 'page')).toHaveLength(12);
  });
});
