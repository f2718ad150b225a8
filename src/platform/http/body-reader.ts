import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import { JsonRefusedError } from '../../common/json/json-refused-error';
import { readJson } from '../../common/json/read-json';
import { LARGE_BYTES } from '../load/held-bytes';
import type { CountedResponse } from '../load/load';
import { receiveBody } from './receive-body';

/**
 * Reads JSON bodies, after the guards have let the request in. Compressed bodies are inflated
 * up to the same limit; nothing past it is kept.
 */
export class BodyReader {
  constructor(private readonly limitBytes: number) {}

  /**
   * The parsed body, or `undefined` where the request has none.
   * @throws AppError 400, 413 or 415.
   */
  async read(request: AppRequest, response: Response): Promise<unknown> {
    if (!hasBody(request)) return undefined;
    requireJson(request);
    return parse(request.bodyBytes ?? (await this.receiveOnce(request, response)));
  }

  /**
   * The body's bytes, whatever they hold, inflated; `undefined` where the request has none. They
   * stay with the request, so that it can be read afterwards, more than once.
   * @throws AppError 400, 413 or 415.
   */
  async receive(request: AppRequest, response: Response): Promise<Buffer | undefined> {
    if (!hasBody(request)) return undefined;
    request.bodyBytes ??= await this.receiveOnce(request, response);
    return request.bodyBytes;
  }

  /** Refuses a body as soon as it is known to be too large. */
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

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return readJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    const detail = { field: error.field ?? 'body', code: error.code, message: error.message };
    throw invalidRequest([detail]);
  }
}
