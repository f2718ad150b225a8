import type { OperationObject, ResponseObject, ResponsesObject } from '@nestjs/swagger';
import { ERROR_STATUS } from '../../common/error/error-code';
import { failureRef, ON_EVERY_CHANGE, ON_EVERY_ROUTE, WHERE_A_BODY_IS_SENT } from './failures';
import { headersOf, type HeaderName } from './headers';
import { isChange, type Operation } from './operations';

/** Adds the headers of each response, and the error responses that all routes share. */
export function withAnswers(operation: Operation): OperationObject {
  const { method, spec } = operation;
  const reads = method === 'get';
  const responses: ResponsesObject = {};
  for (const [status, response] of Object.entries(spec.responses)) {
    if (Number(status) >= 400) responses[status] = failureRef(Number(status));
    else if (isGuess(response)) continue;
    else if (hasBody(response))
      responses[status] = successful(response, ownHeaders(operation, response));
    // Other responses without a body are guesses of the plugin.
    else if (status === '204') responses[status] = DONE;
  }
  if (reads) responses['304'] = notModified();
  const codes = [
    ...ON_EVERY_ROUTE,
    ...(isChange(operation) ? ON_EVERY_CHANGE : []),
    ...(spec.requestBody ? WHERE_A_BODY_IS_SENT : []),
  ];
  for (const code of codes) responses[ERROR_STATUS[code]] = failureRef(ERROR_STATUS[code]);
  return { ...spec, responses };
}

type Response = ResponsesObject[string];

const DONE: ResponseObject = {
  description: 'Done; there is no body.',
  headers: headersOf('Cache-Control', 'Idempotent-Replayed'),
};

function hasBody(response: Response): response is ResponseObject {
  // A response without a description was guessed by the plugin, not declared by a decorator.
  return response !== undefined && 'content' in response && response.description !== '';
}

/**
 * Whether the plugin guessed the response. It assumes that every POST creates something, and
 * describes an unknown type as an object.
 */
function isGuess(response: Response): boolean {
  const schema = hasBody(response) ? response.content?.['application/json']?.schema : undefined;
  return JSON.stringify(schema) === '{"type":"object"}';
}

function ownHeaders(operation: Operation, { content }: ResponseObject): HeaderName[] {
  if ('202' in operation.spec.responses) return ['Location', 'Idempotent-Replayed'];
  if (isChange(operation)) return ['ETag', 'Idempotent-Replayed'];
  if (content && !('application/json' in content)) return ['ETag', 'Export-Status', 'Export-Rows'];
  const pages = JSON.stringify(content).includes('PageMetaDto');
  return operation.method === 'get' && pages ? ['ETag', 'Link'] : ['ETag'];
}

function successful(response: ResponseObject, own: readonly HeaderName[]): ResponseObject {
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
