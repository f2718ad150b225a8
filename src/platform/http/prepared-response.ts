import type { Response } from 'express';
import type { Coding } from '../../common/conditional/if-match';
import { compress } from './compress';
import { encodingFor, endCompressed, etagOfText, sendIfNotModified } from './send-text';

/**
 * Response that is the same for every client while the process runs. It is printed and tagged once,
 * and compressed once per requested encoding. Sending it costs little more than a probe.
 */
export class PreparedResponse {
  private readonly bytes: Buffer;
  private readonly etag: string;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  /** @param headers `Content-Type`, `Cache-Control`, and other headers that the content needs. */
  constructor(
    content: string | Buffer,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.bytes = Buffer.from(content);
    this.etag = etagOfText(this.bytes);
  }

  /** Responds to a `GET` or `HEAD`. If it rejects, the exception filter handles the error. */
  async send(response: Response): Promise<void> {
    const { headers, method } = response.req;
    const coding = encodingFor(headers['accept-encoding'], this.bytes.length);
    const body = coding === 'identity' ? this.bytes : await this.compressedIn(coding);
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.setHeader('ETag', this.etag);
    if (sendIfNotModified(response, this.etag)) return;
    const sent = method === 'HEAD' ? undefined : body;
    if (coding !== 'identity') {
      endCompressed(response, sent, coding, this.etag);
      return;
    }
    response.setHeader('Content-Length', this.bytes.length);
    response.end(sent);
  }

  private compressedIn(coding: Coding): Promise<Buffer> {
    const known = this.compressed.get(coding);
    if (known) return known;
    const compressing = compress(this.bytes, coding, 'small');
    this.compressed.set(coding, compressing);
    // The next request compresses again.
    compressing.catch(() => this.compressed.delete(coding));
    return compressing;
  }
}
