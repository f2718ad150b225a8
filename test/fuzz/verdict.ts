import { responsesOf, exactValidatorOf, OPERATIONS } from '../support/openapi-file';
import type { Json } from '../support/api-client';
import { decoded } from '../support/http-request';
import type { FuzzResponse, SentRequest } from './sender';
import type { Operation } from './requests';

/** Statuses of unknown methods and routes. */
const STRAY = [400, 401, 403, 404, 405, 429];

/** Validates the error format, which is the same for all operations. */
const FAILURE = failureOf(OPERATIONS.find(({ path }) => path.endsWith('/me')));

export interface Verdict {
  /** Differences between the response and the OpenAPI document. */
  readonly problems: readonly string[];
  /** Parsed JSON of the response; undefined if it has none. */
  readonly body: Json;
}

/** Compares a response with the OpenAPI document. */
export function judge({ operation, method }: SentRequest, response: FuzzResponse): Verdict {
  const { status, headers } = response;
  if (status >= 500)
    return { problems: [`status ${String(status)}: ${textOf(response)}`], body: undefined };
  if (headers['x-request-id'] === undefined)
    return { problems: ['no X-Request-Id'], body: undefined };
  if (!operation) return judgeStray(method, response);
  const documented = new Map(responsesOf(operation)).get(status);
  if (!documented)
    return { problems: [`status ${String(status)} is not documented`], body: undefined };
  const { content } = documented;
  if (!content || status === 304) {
    return {
      problems: response.bytes.length > 0 ? ['unexpected body'] : [],
      body: undefined,
    };
  }
  const type = headers['content-type']?.split(';')[0] ?? '';
  const media = content[type];
  if (!media) return { problems: [`content type ${type} is not documented`], body: undefined };
  if (type !== 'application/json') return { problems: [], body: undefined };
  return judgeJson(response, exactValidatorOf(media));
}

function judgeStray(method: string, response: FuzzResponse): Verdict {
  const { status, bytes } = response;
  if (!STRAY.includes(status)) {
    return { problems: [`status ${String(status)} to ${method}`], body: undefined };
  }
  if (bytes.length === 0) return { problems: ['an error without a body'], body: undefined };
  return judgeJson(response, FAILURE);
}

function judgeJson(response: FuzzResponse, validate: ReturnType<typeof exactValidatorOf>): Verdict {
  try {
    const body: Json = JSON.parse(textOf(response));
    const problems = validate(body)
      ? []
      : (validate.errors ?? []).map((error) => JSON.stringify(error));
    return { problems, body };
  } catch (error) {
    return { problems: [String(error)], body: undefined };
  }
}

function failureOf(operation: Operation | undefined): ReturnType<typeof exactValidatorOf> {
  const media =
    operation && new Map(responsesOf(operation)).get(401)?.content?.['application/json'];
  if (!media) throw new Error('The document does not describe errors.');
  return exactValidatorOf(media);
}

const textOf = ({ headers, bytes }: FuzzResponse): string =>
  decoded(bytes, headers['content-encoding']);
