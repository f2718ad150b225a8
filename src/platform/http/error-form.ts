import {
  type AppError,
  ERROR_STATUS,
  type ErrorCode,
  type FieldError,
  type ScimErrorType,
} from '../../common/error/app-error';

/** Path of SCIM, without leading or trailing slash. */
export const SCIM_API = 'scim/v2';

/** Media type of SCIM (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json; charset=utf-8';

const SCIM_PATH = new RegExp(`^/${SCIM_API}([/?#]|$)`);
const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Returns the `scimType` (RFC 7644, section 3.12) of an error, also if another part of the service has thrown it. */
function scimTypeOf({ code, details, scimType }: AppError): ScimErrorType | undefined {
  if (scimType !== undefined) return scimType;
  if (code === 'conflict')
    return details.some((each) => each.code === 'duplicate') ? 'uniqueness' : undefined;
  if (code !== 'invalid_request') return undefined;
  // A body that cannot be parsed has no field, or one that stands there twice.
  const isOfValue = ({ field, code: of }: FieldError): boolean =>
    field !== 'body' && of !== 'duplicate_key';
  return details.some(isOfValue) ? 'invalidValue' : 'invalidSyntax';
}

/** Form of error responses. */
export interface ErrorForm {
  readonly contentType: string;
  /** Returns the body as JSON text. */
  print(error: AppError, requestId: string): string;
}

const ENVELOPE: ErrorForm = {
  contentType: 'application/json; charset=utf-8',
  print: ({ code, message, details }, requestId) =>
    JSON.stringify(errorBody(code, message, requestId, details)),
};

/** The request ID is only in the header: SCIM has no place for it. */
const SCIM: ErrorForm = {
  contentType: SCIM_TYPE,
  print: (error) => {
    const { code, message } = error;
    const scimType = scimTypeOf(error);
    const status = String(ERROR_STATUS[code]);
    return JSON.stringify({
      schemas: [SCIM_ERROR],
      status,
      ...(scimType && { scimType }),
      detail: message,
    });
  },
};

/** All forms, for what is prepared in advance. */
export const ERROR_FORMS: readonly ErrorForm[] = [ENVELOPE, SCIM];

/**
 * Returns the form of error responses: that of SCIM below its path, where a failure of every kind must have it.
 * @param url Path of the request, with or without its query.
 */
export const errorFormOf = (url: string): ErrorForm => (SCIM_PATH.test(url) ? SCIM : ENVELOPE);

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly FieldError[];
    readonly requestId: string;
  };
}

/** Builds the body that all error responses share, except those of SCIM. */
export function errorBody(
  code: ErrorCode,
  message: string,
  requestId: string,
  details: readonly FieldError[] = [],
): ErrorBody {
  return {
    error: { code, message, ...(details.length > 0 && { details }), requestId },
  };
}
