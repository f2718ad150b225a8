import { SOURCE_FILES } from './source-files';

describe('the background tasks', () => {
  const begun = SOURCE_FILES.filter(({ text }) =>
    /implements OnApplicationBootstrap|extends BackgroundService/.test(text),
  );

  it('repeat their work with RepeatedTask and set no timers of their own', () => {
    expect(begun.length).toBeGreaterThan(8);
    const timed = begun.filter(({ text }) => /\bset(Timeout|Interval|Immediate)\b/.test(text));
    expect(timed.map(({ path }) => path)).toEqual([]);
  });
});
