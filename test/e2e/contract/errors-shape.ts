import { ERROR_STATUS, type ErrorCode } from '../../../src/common/error/app-error';
import type { ApiResponse } from '../../support/api-client';
import { unlistedMessages } from '../../support/failure';

const DETAIL = {
  field: expect.stringMatching(/\S/) as string,
  code: expect.stringMatching(/^[a-z][a-z0-9_]+$/) as string,
  message: expect.any(String) as string,
};

/**
 * Asserts the error format of a response, and that its status belongs to its code.
 * @returns the code.
 */
export function expectErrorShape(response: ApiResponse): ErrorCode {
  const requestId = response.headers.get('x-request-id');
  expect(requestId).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(response.body).toEqual({ error: expect.anything() });
  const { code, details, ...rest } = response.body.error;
  expect(rest).toEqual({ message: expect.any(String), requestId });
  expect(unlistedMessages(response)).toEqual([]);
  expect(Object.keys(ERROR_STATUS)).toContain(code);
  expect(response.status).toBe(ERROR_STATUS[code as ErrorCode]);
  if ('details' in response.body.error) {
    const list = details as object[];
    expect(list.length).toBeGreaterThan(0);
    expect(list).toEqual(list.map(() => DETAIL));
  }
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('etag')).toBeNull();
  return code as ErrorCode;
}
