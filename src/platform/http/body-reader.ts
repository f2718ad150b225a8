import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import { JsonRefusedError } from '../../common/json/json-refused-error';
import { parseJson } from '../../common/json/parse-json';
import { readJson } from '../../common/json/read-json';
import { AccountSemaphore } from '../fairness/account-semaphore';
import { nextTurn, runInSlices } from '../fairness/event-loop-turns';
import { LARGE_BYTES } from '../load/memory-budget';
import type { CountedResponse } from '../load/load';
import { receiveBody } from './receive-body';

/**
 * Maximum number of values in a body; 1,000 rows of 500 columns have half as many. The byte limit
 * alone does not bound the memory and time that a body such as `[[],[],…]` takes.
 */
const MAX_BODY_VALUES = 1_000_000;
/** Memory of one parsed value in bytes, measured on arrays of numbers, strings and empty arrays. */
const BYTES_PER_VALUE = 32;
const PARSE_PATIENCE_MS = 10_000;

/** Limits the parsing of large bodies, for all routes: they share one event loop. */
const largeBodies = new AccountSemaphore(
  { total: 4, perAccount: 2, maxWaiting: 400, maxWaitingPerAccount: 200 },
  {
    full: 'Too many large bodies are being parsed. Retry later.',
    accountFull: 'Too many large bodies of this account are being parsed. Retry later.',
  },
);

/**
 * Reads JSON bodies after the guards have admitted the request. Compressed bodies are decompressed
 * up to the same limit; bytes beyond it are not kept.
 */
export class BodyReader {
  constructor(private readonly limitBytes: number) {}

  /**
   * Returns the parsed body.
   * @returns `undefined` if the request has no body.
   * @throws AppError `invalid_request`, `payload_too_large` or `unsupported_media_type` for the
   *   body; `rate_limited` or `unavailable` if no memory or parsing capacity is left.
   */
  async read(request: AppRequest, response: Response): Promise<unknown> {
    if (!hasBody(request)) return undefined;
    requireJson(request);
    const bytes = request.bodyBytes ?? (await this.receiveOnce(request, response));
    if (bytes.length === 0) return undefined;
    try {
      if (bytes.length <= LARGE_BYTES) return readJson(bytes);
      return await this.parseLarge(bytes, request.caller?.accountId ?? '', response);
    } catch (error) {
      throw rejectionOf(error);
    }
  }

  /**
   * Parses a large body in slices, so that other requests are not delayed, and only a few bodies at
   * a time. The memory of its values counts like the body's, until the response is over.
   */
  private async parseLarge(bytes: Buffer, accountId: string, response: Response): Promise<unknown> {
    const work = response as Response & CountedResponse;
    const release = await largeBodies.acquire(accountId, PARSE_PATIENCE_MS);
    try {
      await nextTurn(accountId);
      const { value, values } = await runInSlices(accountId, (isDue) =>
        parseJson(bytes, { maxValues: MAX_BODY_VALUES, isDue }),
      );
      work.holdBody(values * BYTES_PER_VALUE);
      return value;
    } finally {
      release();
    }
  }

  /**
   * Returns the bytes of the body, decompressed, whatever they contain. They are stored on the
   * request, so that the body can be read again later.
   * @returns `undefined` if the request has no body.
   * @throws AppError `invalid_request`, `payload_too_large` or `unsupported_media_type` for the
   *   body; `rate_limited` or `unavailable` if no capacity is left.
   */
  async receive(request: AppRequest, response: Response): Promise<Buffer | undefined> {
    if (!hasBody(request)) return undefined;
    request.bodyBytes ??= await this.receiveOnce(request, response);
    return request.bodyBytes;
  }

  /** Receives the body. Rejects it as soon as it is known to be too large. */
  private async receiveOnce(request: AppRequest, response: Response): Promise<Buffer> {
    if (Number(request.headers['content-length']) > this.limitBytes) throw this.tooLarge();
    const work = response as Response & CountedResponse;
    work.endWork();
    const startedAtMs = performance.now();
    let heldBytes = 0;
    let body: Buffer;
    try {
      body = await receiveBody(request, {
        sent: (bytes) => {
          if (bytes > this.limitBytes) throw this.tooLarge();
        },
        kept: (bytes) => {
          if (bytes > this.limitBytes) throw this.tooLarge();
          if (bytes <= LARGE_BYTES) return;
          work.holdBody(bytes - heldBytes);
          heldBytes = bytes;
        },
      });
    } catch (error) {
      work.beginWork();
      throw error;
    } finally {
      request.bodyMs = performance.now() - startedAtMs;
    }
    work.resumeWork();
    return body;
  }

  private tooLarge(): AppError {
    const message = `The body is larger than ${String(this.limitBytes)} bytes.`;
    return new AppError('payload_too_large', message);
  }
}

function hasBody(request: AppRequest): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  );
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

function requireJson(request: AppRequest): void {
  if (JSON_TYPE.test(request.headers['content-type'] ?? '')) return;
  throw new AppError('unsupported_media_type', 'Content-Type must be application/json, in UTF-8.');
}

/** Turns a parser's rejection into the error of the response. */
function rejectionOf(error: unknown): unknown {
  if (!(error instanceof JsonRefusedError)) return error;
  const { code, message, field = 'body' } = error;
  const details = [{ field, code, message }];
  return code === 'too_many'
    ? new AppError('payload_too_large', `${field}: ${message}`, { details })
    : invalidRequest(details);
}
