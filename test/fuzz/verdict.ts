import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { answersOf, exactValidatorOf, OPERATIONS } from '../support/kept-document';
import type { Json } from '../support/api-client';
import type { FuzzAnswer, SentRequest } from './sender';
import type { Operation } from './requests';

/** What a call that no operation is for may be answered by: failures that every route has. */
const STRAY = [400, 401, 403, 404, 405, 429];

/** Every operation answers an unknown caller alike: by the one shape of failures. */
const FAILURE = failureOf(OPERATIONS.find(({ path }) => path.endsWith('/me')));

export interface Verdict {
  /** What of the answer the document does not have; empty where all is well. */
  readonly problems: readonly string[];
  /** The JSON of the answer; undefined where it has none. */
  readonly body: Json;
}

/** Holds an answer against the document. */
export function judge({ operation, method }: SentRequest, answer: FuzzAnswer): Verdict {
  const { status, headers } = answer;
  if (status >= 500)
    return { problems: [`status ${String(status)}: ${textOf(answer)}`], body: undefined };
  if (headers['x-request-id'] === undefined)
    return { problems: ['no X-Request-Id'], body: undefined };
  if (!operation) return judgeStray(method, answer);
  const documented = new Map(answersOf(operation)).get(status);
  if (!documented)
    return { problems: [`status ${String(status)} is not documented`], body: undefined };
  const { content } = documented;
  if (!content || status === 304) {
    return {
      problems: answer.bytes.length > 0 ? ['a body where there is none'] : [],
      body: undefined,
    };
  }
  const type = headers['content-type']?.split(';')[0] ?? '';
  const media = content[type];
  if (!media) return { problems: [`content type ${type} is not documented`], body: undefined };
  if (type !== 'application/json') return { problems: [], body: undefined };
  return judgeJson(answer, exactValidatorOf(media));
}

function judgeStray(method: string, answer: FuzzAnswer): Verdict {
  const { status, bytes } = answer;
  if (!STRAY.includes(status)) {
    return { problems: [`status ${String(status)} to ${method}`], body: undefined };
  }
  if (bytes.length === 0) return { problems: ['a failure without a body'], body: undefined };
  return judgeJson(answer, FAILURE);
}

function judgeJson(answer: FuzzAnswer, validate: ReturnType<typeof exactValidatorOf>): Verdict {
  try {
    const body: Json = JSON.parse(textOf(answer));
    const problems = validate(body)
      ? []
      : (validate.errors ?? []).map((error) => JSON.stringify(error));
    return { problems, body };
  } catch (error) {
    return { problems: [String(error)], body: undefined };
  }
}

function failureOf(operation: Operation | undefined): ReturnType<typeof exactValidatorOf> {
  const media = operation && new Map(answersOf(operation)).get(401)?.content?.['application/json'];
  if (!media) throw new Error('The document has no failures.');
  return exactValidatorOf(media);
}

function textOf({ headers, bytes }: FuzzAnswer): string {
  const coding = headers['content-encoding'];
  if (coding === 'gzip') return gunzipSync(bytes).toString();
  if (coding === 'br') return brotliDecompressSync(bytes).toString();
  return bytes.toString();
}
