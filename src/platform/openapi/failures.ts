import { getSchemaPath, type ResponseObject } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../common/error/error-code';
import { errorBody } from '../http/error-body';
import { ErrorDto } from '../http/dto/error.dto';
import { headersOf, RETRY_AFTER_IN_USE, type HeaderName } from './headers';
import { FAILURE_TEXTS } from './failure-texts';

const REQUEST_ID = '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10';

const OWN_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Idempotent-Replayed'],
  412: ['Idempotent-Replayed'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Error codes that any route may return. */
export const ON_EVERY_ROUTE: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'account_suspended',
  'https_required',
  'rate_limited',
  'internal',
  'unavailable',
];

/** Additional error codes of changes, which accept an `Idempotency-Key`. */
export const ON_EVERY_CHANGE: readonly ErrorCode[] = ['idempotency_key_reused'];

export const WHERE_A_BODY_IS_SENT: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
];

export const failureRef = (status: number): { $ref: string } => ({
  $ref: `#/components/responses/Error${String(status)}`,
});

/** Returns one error response per status, with an example for each of its codes. */
export function failureResponses(): Record<string, ResponseObject> {
  const statuses = [...new Set(Object.keys(FAILURE_TEXTS).map((code) => statusOf(code)))];
  return Object.fromEntries(
    statuses.map((status) => [`Error${String(status)}`, failureResponse(status)]),
  );
}

function failureResponse(status: number): ResponseObject {
  const texts = Object.entries(FAILURE_TEXTS).filter(([code]) => statusOf(code) === status);
  return {
    description: texts.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join(' '),
    headers: {
      ...headersOf(...(OWN_HEADERS[status] ?? []), 'Cache-Control'),
      ...(status === ERROR_STATUS.idempotency_key_in_use && { 'Retry-After': RETRY_AFTER_IN_USE }),
    },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorDto) },
        examples: Object.fromEntries(
          texts.map(([code, { message, details }]) => [
            code,
            { value: errorBody(code as ErrorCode, message, REQUEST_ID, details) },
          ]),
        ),
      },
    },
  };
}

const statusOf = (code: string): number => ERROR_STATUS[code as ErrorCode];
