import type { Response } from 'express';
import { acceptedEncodings, ifNoneMatchOf } from './accepted-encodings';

/** A file in the forms that it is kept in. */
export interface FileForms {
  readonly identity: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** A file that is held in memory, in the form that the client likes best of those there are. */
export class FileAnswer {
  /** @param etag Strong validator, quotes included, where the client may keep the file. */
  constructor(
    private readonly forms: FileForms,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly etag?: string,
  ) {}

  send(response: Response): void {
    const { headers, method } = response.req;
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.setHeader('Vary', 'Accept-Encoding');
    if (this.etag !== undefined) {
      // Weak: one for all forms.
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
    response.statusCode = 200;
    response.end(method === 'HEAD' ? undefined : form);
  }

  /** What is made beforehand costs nothing, so that the smallest comes first. */
  private choose(acceptEncoding: string | undefined): [Buffer, string] {
    const accepted = acceptEncoding === undefined ? [] : acceptedEncodings(acceptEncoding);
    for (const coding of ['br', 'gzip'] as const) {
      const form = this.forms[coding];
      if (form && accepted.includes(coding)) return [form, coding];
    }
    return [this.forms.identity, 'identity'];
  }
}
