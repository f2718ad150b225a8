import type { Response } from 'express';
import { acceptedEncodings, ifNoneMatchOf } from './compress';

/** A file in its stored encodings. */
export interface FileForms {
  readonly identity: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** Response with a file that is held in memory, in the encoding that the client prefers. */
export class FileResponse {
  /**
   * @param etag Strong ETag, including the quotes, if the client may cache the file.
   * @param status HTTP status.
   */
  constructor(
    private readonly forms: FileForms,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly etag?: string,
    private readonly status = 200,
  ) {}

  send(response: Response): void {
    const { headers, method } = response.req;
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.setHeader('Vary', 'Accept-Encoding');
    if (this.etag !== undefined) {
      // Weak, because all encodings share it.
      response.setHeader('ETag', `W/${this.etag}`);
      if (ifNoneMatchOf(headers)?.find(this.etag) !== undefined) {
        response.statusCode = 304;
        response.removeHeader('Content-Type');
        response.end();
        return;
      }
    }
    const [form, encoding] = this.choose(headers['accept-encoding']);
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', form.length);
    response.statusCode = this.status;
    response.end(method === 'HEAD' ? undefined : form);
  }

  /**
   * Chooses the encoding that the client prefers; of several that it likes equally, the smallest. The
   * files are compressed in advance.
   */
  private choose(acceptEncoding: string | undefined): [Buffer, string] {
    const accepted = acceptEncoding === undefined ? [] : acceptedEncodings(acceptEncoding, 'small');
    for (const encoding of accepted) {
      const form = encoding === 'zstd' ? undefined : this.forms[encoding];
      if (form) return [form, encoding];
    }
    return [this.forms.identity, 'identity'];
  }
}
