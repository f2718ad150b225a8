import { isWorthAnother } from './server-start';

describe('isWorthAnother', () => {
  it.each([
    ['status 0', 'LOG:  database system is shut down'],
    ['status 1', 'FATAL:  lock file "postmaster.pid" already exists'],
    ['status 1', 'FATAL:  lock file "postmaster.pid" is empty'],
    ['status 1', 'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use'],
  ])('returns true for %s with %s', (outcome, logTail) => {
    expect(isWorthAnother(outcome, logTail)).toBe(true);
  });

  it.each([
    ['status 1', 'FATAL:  could not write to file "postmaster.pid": No space left on device'],
    ['SIGKILL', 'LOG:  database system is ready to accept connections'],
  ])('returns false for %s with %s', (outcome, logTail) => {
    expect(isWorthAnother(outcome, logTail)).toBe(false);
  });
});
