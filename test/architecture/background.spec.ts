import { SOURCE_FILES } from './source-files';

describe('what begins with the application', () => {
  const begun = SOURCE_FILES.filter(({ text }) =>
    text.includes('implements OnApplicationBootstrap'),
  );

  it('repeats its work by RepeatedTask, and sets no timer of its own', () => {
    expect(begun.length).toBeGreaterThan(2);
    const timed = begun.filter(({ text }) => /\bset(Timeout|Interval|Immediate)\b/.test(text));
    expect(timed.map(({ path }) => path)).toEqual([]);
  });
});
