import { printState, readState, type TableState } from './sync-state';

const columns = [{ id: 1, name: 'price', type: 'decimal' }] as const;
const seen = { revision: 7, atMs: 1_795_000_000_000 };
const STATES: readonly TableState[] = [
  { phase: 'load', revision: 7, seen, afterId: 20, columns, knownIds: [1, 2] },
  {
    phase: 'changes',
    position: { revision: 7, part: 1, offset: 3, seen: { revision: 7, atMs: null } },
    columns,
    knownIds: [1, 2],
    rescanAfterId: 5,
    fillingIds: [1],
  },
  {
    phase: 'changes',
    position: { revision: 0, part: 0, offset: 0, seen },
    columns: [],
    knownIds: [],
    rescanAfterId: null,
    fillingIds: [],
  },
];

/** What the owner of a destination could write instead of a value. */
const HOSTILE: readonly unknown[] = [
  "0 AND false UNION ALL SELECT 1, 1, 'x' --",
  '7',
  -1,
  1.5,
  9_007_199_254_740_992,
  true,
  {},
  [],
  [[1]],
  undefined,
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, before: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [before];
  const inner = Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...before, key]));
  return before.length === 0 ? inner : [before, ...inner];
}

function withValue(state: unknown, path: Path, value: unknown): unknown {
  const [key = '', ...rest] = path;
  const copy: Record<string, unknown> = Array.isArray(state)
    ? (Object.assign([], state) as unknown as Record<string, unknown>)
    : { ...(state as object) };
  copy[key] = rest.length === 0 ? value : withValue(copy[key], rest, value);
  return copy;
}

describe('the state of a sync', () => {
  it.each(STATES)('is read as it was printed: $phase', (state) => {
    expect(readState(printState(state))).toEqual(state);
  });

  it('has numbers, known words, and names only, whatever the destination returns', () => {
    const read: unknown[] = [];
    for (const state of STATES) {
      const stored = JSON.parse(printState(state)) as object;
      for (const path of pathsOf(stored)) {
        for (const value of HOSTILE) {
          const found = readState(JSON.stringify(withValue(stored, path, value)));
          if (found !== null) read.push([path.join('.'), value, found]);
        }
      }
    }
    // Earlier releases print no `fillingIds`. An empty list is valid where a list is expected, and each text is a name.
    const unexpected = read.filter((each) => {
      const [path, value] = each as [string, unknown];
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (path === 'fillingIds' && value === undefined) return false;
      if (['columns', 'knownIds', 'fillingIds'].includes(path)) return !isEmpty;
      return !(path.endsWith('.name') && typeof value === 'string');
    });
    expect(unexpected).toEqual([]);
  });

  it.each([null, '', 'x', '1', '[]', '{"version":2}', '{"version":1,"phase":"rows"}'])(
    'is null for %j',
    (text) => {
      expect(readState(text)).toBeNull();
    },
  );

  it('is null if it is longer than any state', () => {
    const [state] = STATES;
    if (!state) throw new Error('There is no state.');
    const long = `${printState(state)}${' '.repeat(5 * 1024 * 1024)}`;
    expect(readState(long)).toBeNull();
  });
});
