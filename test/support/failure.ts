import { ERROR_STATUS, type ErrorCode } from '../../src/common/error/app-error';
import type { ApiResponse } from './api-client';
import { isDetailMessage, isErrorMessage } from './public-messages';

/**
 * Asserts that a response has the shape of errors, property by property, and that its messages are
 * in the list of public messages.
 * @param details Expected `details` in order, each as `field code`. If empty, `details` must be
 *   absent.
 */
export function expectFailure(
  response: ApiResponse,
  code: ErrorCode,
  details: readonly string[] = [],
): void {
  const expected = details.map((detail) => {
    const space = detail.lastIndexOf(' ');
    return {
      field: detail.slice(0, space),
      code: detail.slice(space + 1),
      message: expect.any(String),
    };
  });
  expect({ status: response.status, body: response.body }).toEqual({
    status: ERROR_STATUS[code],
    body: {
      error: {
        code,
        message: expect.any(String),
        ...(expected.length > 0 && { details: expected }),
        requestId: response.headers.get('x-request-id'),
      },
    },
  });
  expect(unlistedMessages(response)).toEqual([]);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
}

/** Returns the messages of an error response that are not in the list of public messages. */
export function unlistedMessages({ body }: ApiResponse): string[] {
  const { message, details = [] } = body.error as {
    message: string;
    details?: readonly { message: string }[];
  };
  const ofDetails = details.map((detail) => detail.message);
  return [
    ...(isErrorMessage(message) ? [] : [message]),
    ...ofDetails.filter((text) => !isDetailMessage(text)),
  ];
}
