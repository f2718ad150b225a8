import type { OperationObject, ResponseObject, ResponsesObject } from '@nestjs/swagger';
import { ERROR_STATUS } from '../../common/error/error-code';
import { failureRef, ON_EVERY_ROUTE, WHERE_A_BODY_IS_SENT } from './failures';
import { headersOf, type HeaderName } from './headers';
import type { Operation } from './operations';

/** Gives every answer its headers, and every route the failures that all routes have. */
export function withAnswers({ method, spec }: Operation): OperationObject {
  const reads = method === 'get';
  const responses: ResponsesObject = {};
  for (const [status, response] of Object.entries(spec.responses)) {
    if (Number(status) >= 400) responses[status] = failureRef(Number(status));
    else if (hasBody(response)) responses[status] = successful(response, reads);
    // What else there is without a body is the plugin's guess.
    else if (status === '204') responses[status] = DONE;
  }
  if (reads) responses['304'] = notModified();
  const codes = spec.requestBody ? [...ON_EVERY_ROUTE, ...WHERE_A_BODY_IS_SENT] : ON_EVERY_ROUTE;
  for (const code of codes) responses[ERROR_STATUS[code]] = failureRef(ERROR_STATUS[code]);
  return { ...spec, responses };
}

type Response = ResponsesObject[string];

const DONE: ResponseObject = {
  description: 'Done; there is no body.',
  headers: headersOf('Cache-Control'),
};

function hasBody(response: Response): response is ResponseObject {
  return response !== undefined && 'content' in response && response.description !== '';
}

function successful(response: ResponseObject, reads: boolean): ResponseObject {
  const pages = JSON.stringify(response.content).includes('PageMetaDto');
  const own: HeaderName[] = reads ? ['ETag', ...(pages ? (['Link'] as const) : [])] : [];
  return { ...response, headers: successHeaders(own) };
}

const successHeaders = (own: readonly HeaderName[]): ReturnType<typeof headersOf> =>
  headersOf('Cache-Control', ...own);

function notModified(): ResponseObject {
  return {
    description: 'Nothing has changed since the answer with that `ETag`; there is no body.',
    headers: successHeaders(['ETag']),
  };
}
