import { ERROR_STATUS, type ErrorCode } from '../../src/common/error/error-code';
import type { Answer } from './api-client';

/**
 * Holds an answer against the one shape of failures, member by member.
 * @param details What `details` must hold, in order, each as `field code`; nothing: no `details`.
 */
export function expectFailure(
  answer: Answer,
  code: ErrorCode,
  details: readonly string[] = [],
): void {
  const expected = details.map((detail) => {
    const space = detail.lastIndexOf(' ');
    return {
      field: detail.slice(0, space),
      code: detail.slice(space + 1),
      message: expect.stringMatching(/\S/),
    };
  });
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: ERROR_STATUS[code],
    body: {
      error: {
        code,
        message: expect.stringMatching(/\S/),
        ...(expected.length > 0 && { details: expected }),
        requestId: answer.headers.get('x-request-id'),
      },
    },
  });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
}
