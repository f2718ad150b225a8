import { SOURCE_FILES } from './source-files';

describe('the background tasks', () => {
  const begun = SOURCE_FILES.filter(({ text }) =>
    text.includes('implements OnApplicationBootstrap'),
  );

  it('repeat their work with RepeatedTask and set no timers of their own', () => {
    expect(begun.length).toBeGreaterThan(2);
    const timed = begun.filter(({ text }) => /\bset(Timeout|Interval|Immediate)\b/.test(text));
    expect(timed.map(({ path }) => path)).toEqual([]);
  });
});
