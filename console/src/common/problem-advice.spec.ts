import { ApiError } from '../api/api-error';
import { adviceOf } from './problem-advice';

const titleAndHint = (error: unknown): readonly (string | undefined)[] => {
  const { title, hint } = adviceOf(error);
  return [title, hint];
};

describe('the title and the hint for an error', () => {
  it('say that the server is unavailable if there was no response', () => {
    const advice = adviceOf(new ApiError(0, 'unreachable', 'The server cannot be reached.'));
    expect(advice).toEqual({
      title: 'The server is not available',
      hint: 'Check your network, and try again.',
      isOutage: true,
    });
  });

  it('say how long to wait after too many requests', () => {
    const limited = new ApiError(429, 'rate_limited', 'Rate limit exceeded.', [], 'r', 12);
    expect(titleAndHint(limited)).toEqual(['Too many requests', 'Wait 12 seconds, and try again.']);
  });

  it.each([
    [403, 'You are not allowed to do this', 'Ask an owner of the account for another role.'],
    [404, 'Not found', 'It may have been deleted. Look in the trash.'],
    [500, 'The server failed', 'Try again. If it fails again, report the request id.'],
    [503, 'The server is not available', 'Wait a moment, and try again.'],
    [409, 'This did not work', undefined],
  ])('depend on the status %s', (status, title, hint) => {
    expect(titleAndHint(new ApiError(status, 'code', 'message'))).toEqual([title, hint]);
  });

  it('suggest to load the page again after an error of the console itself', () => {
    expect(titleAndHint(new TypeError('x is undefined'))).toEqual([
      'This did not work',
      'Load the page again.',
    ]);
  });
});
