import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import { JsonRejectedError } from '../../common/json/json-error';
import { parseJson } from '../../common/json/parse-json';
import { readJson } from '../../common/json/read-json';
import { nextTurn, runInSlices } from '../fairness/event-loop-turns';
import { semaphoreOf } from '../fairness/limit';
import { LIMITS } from '../fairness/limits';
import type { CountedResponse } from '../load/load';
import { LARGE_BYTES } from '../load/memory-budget';
import type { BodyFormat } from './json-body';
import { receiveBody, takeArrivedBody } from './receive-body';

/**
 * Maximum number of values in a body; 1,000 rows of 500 columns have half as many. The byte limit
 * alone does not bound the memory and time that a body such as `[[],[],…]` takes.
 */
const MAX_BODY_VALUES = 1_000_000;
/** Memory of one parsed value in bytes, measured on arrays of numbers, strings and empty arrays. */
const BYTES_PER_VALUE = 32;

const largeBodies = semaphoreOf(LIMITS.largeBodies, {});

/**
 * Reads JSON bodies after the guards have admitted the request. Compressed bodies are decompressed
 * up to the same limit; bytes beyond it are not kept.
 */
export class BodyReader {
  constructor(
    private readonly limitBytes: number,
    private readonly format: BodyFormat = 'json',
  ) {}

  /**
   * Returns the same as `read` for a small body that has already arrived, without waiting.
   * @returns `undefined` if the body has not arrived, or there is none.
   * @throws AppError `invalid_request` or `unsupported_media_type`
   */
  readArrived(request: AppRequest): { readonly value: unknown } | undefined {
    const bytes = takeArrivedBody(request, Math.min(LARGE_BYTES, this.limitBytes));
    if (!bytes) return undefined;
    this.requireType(request);
    try {
      return { value: readJson(bytes) };
    } catch (error) {
      throw rejectionOf(error);
    }
  }

  /**
   * Returns the parsed body.
   * @returns `undefined` if the request has no body.
   * @throws AppError `invalid_request`, `payload_too_large` or `unsupported_media_type` for the
   *   body; `rate_limited` or `unavailable` if no memory or parsing capacity is left.
   */
  async read(request: AppRequest, response: Response): Promise<unknown> {
    if (!hasBody(request)) return undefined;
    this.requireType(request);
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
    const release = await largeBodies.acquire(accountId);
    try {
      await nextTurn(accountId);
      const { value, values } = await runInSlices(accountId, (isDue) =>
        parseJson(bytes, { maxValues: MAX_BODY_VALUES, isDue }),
      );
      work.reserveBody(values * BYTES_PER_VALUE);
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
    work.stopCounting();
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
          work.reserveBody(bytes - heldBytes);
          heldBytes = bytes;
        },
      });
    } catch (error) {
      work.startCounting();
      throw error;
    } finally {
      request.bodyMs = performance.now() - startedAtMs;
    }
    work.resumeCounting();
    return body;
  }

  private requireType({ headers: { 'content-type': type = '' } }: AppRequest): void {
    const { pattern, message } = FORMATS[this.format];
    if (!pattern.test(type)) throw new AppError('unsupported_media_type', message);
  }

  private tooLarge(): AppError {
    const message = `The body is larger than ${String(this.limitBytes)} bytes.`;
    return new AppError('payload_too_large', message);
  }
}

/** Returns whether a request has a body, which may be empty. */
export function hasBody(request: AppRequest): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  );
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

const FORMATS: Readonly<
  Record<BodyFormat, { readonly pattern: RegExp; readonly message: string }>
> = {
  json: { pattern: JSON_TYPE, message: 'Content-Type must be application/json, in UTF-8.' },
  scim: {
    pattern: /^application\/(scim\+)?json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i,
    message: 'Content-Type must be application/scim+json or application/json, in UTF-8.',
  },
};

/** Turns a parser's rejection into the error of the response. */
function rejectionOf(error: unknown): unknown {
  if (!(error instanceof JsonRejectedError)) return error;
  const { code, message, field = 'body' } = error;
  const details = [{ field, code, message }];
  return code === 'too_many'
    ? new AppError('payload_too_large', `${field}: ${message}`, { details })
    : invalidRequest(details);
}
