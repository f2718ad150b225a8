import { ERROR_STATUS, type ErrorCode } from '../../../src/common/error/error-code';
import type { Answer } from '../../support/api-client';
import { unlistedMessages } from '../../support/failure';

const DETAIL = {
  field: expect.stringMatching(/\S/) as string,
  code: expect.stringMatching(/^[a-z][a-z0-9_]+$/) as string,
  message: expect.any(String) as string,
};

/**
 * Holds any failure against the one shape, and its status against its code.
 * @returns its code.
 */
export function expectErrorShape(answer: Answer): ErrorCode {
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(answer.body).toEqual({ error: expect.anything() });
  const { code, details, ...rest } = answer.body.error;
  expect(rest).toEqual({ message: expect.any(String), requestId });
  expect(unlistedMessages(answer)).toEqual([]);
  expect(Object.keys(ERROR_STATUS)).toContain(code);
  expect(answer.status).toBe(ERROR_STATUS[code as ErrorCode]);
  if ('details' in answer.body.error) {
    const list = details as object[];
    expect(list.length).toBeGreaterThan(0);
    expect(list).toEqual(list.map(() => DETAIL));
  }
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('etag')).toBeNull();
  return code as ErrorCode;
}
