import bodyParser from 'body-parser';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError, invalidRequest } from '../../common/error/app-error';
import { JsonRefusedError } from '../../common/json/json-refused-error';
import { readJson } from '../../common/json/read-json';
import type { CountedResponse } from '../load/load';

interface BodyFault extends Error {
  readonly type?: string;
  readonly status?: number;
}

/**
 * Reads JSON bodies, after the guards have let the request in. Compressed bodies are inflated
 * up to the same limit; nothing past it is kept.
 */
export class BodyReader {
  private readonly readBytes: ReturnType<typeof bodyParser.raw>;

  constructor(private readonly limitBytes: number) {
    this.readBytes = bodyParser.raw({ type: () => true, limit: limitBytes });
  }

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

  /**
   * Refuses a body as soon as it is known to be too large, where body-parser would first read it
   * to its end. Node reads off the rest behind the answer, within its request timeout: closing
   * the connection at once would take the answer from a client that is still sending.
   */
  private async receiveOnce(request: AppRequest, response: Response): Promise<Buffer> {
    if (Number(request.headers['content-length']) > this.limitBytes) throw this.tooLarge();
    const work = response as Response & CountedResponse;
    work.endWork();
    try {
      return await this.receiveAll(request, response);
    } finally {
      work.beginWork();
    }
  }

  private receiveAll(request: AppRequest, response: Response): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let receivedBytes = 0;
      request.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
        if (receivedBytes > this.limitBytes) reject(this.tooLarge());
      });
      this.readBytes(request, response, (fault?: unknown) => {
        if (fault !== undefined) reject(this.refusal(fault as BodyFault));
        // Where the client has hung up by now, body-parser gives nothing, in silence.
        else if (Buffer.isBuffer(request.body)) resolve(request.body);
        else reject(unreadable());
      });
    });
  }

  private tooLarge(): AppError {
    const message = `The body is larger than ${String(this.limitBytes)} bytes.`;
    return new AppError('payload_too_large', message);
  }

  private refusal(fault: BodyFault): Error {
    if (fault.type === 'entity.too.large') return this.tooLarge();
    if (fault.type === 'encoding.unsupported') {
      return new AppError(
        'unsupported_media_type',
        'Content-Encoding must be gzip, deflate or br.',
      );
    }
    if (fault.status !== undefined && fault.status < 500) {
      return unreadable();
    }
    return fault;
  }
}

function unreadable(): AppError {
  return invalidRequest(
    [{ field: 'body', code: 'unreadable', message: 'could not be read to its end' }],
    'The body could not be read to its end.',
  );
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
