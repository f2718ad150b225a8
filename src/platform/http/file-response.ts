import type { Response } from 'express';
import { etagOfText } from './etag';
import { type Coding, encodedTag, type Encoding } from '../../common/conditional/if-match';
import { acceptedEncodings, compress } from './compress';
import { encodingFor, sendIfNotModified } from './send-json';

/** A file in the encodings in which it is stored. */
export interface FileForms {
  readonly identity: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

interface FileOptions {
  /** Strong ETag of the uncompressed file, including the quotes, if the client may cache the file. */
  readonly etag?: string;
  readonly status?: number;
  /** Whether an encoding is compressed when the first client asks for it, and then cached. */
  readonly isCompressedOnDemand?: boolean;
}

/**
 * Response with a file that is held in memory and is the same for every client, in the encoding that the
 * client prefers. Sending it costs little more than a probe.
 */
export class FileResponse {
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  /** @param headers `Content-Type`, `Cache-Control`, and other headers that the file needs. */
  constructor(
    private readonly forms: FileForms,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly options: FileOptions = {},
  ) {}

  /** A file whose encodings are compressed on demand. */
  static prepared(
    content: string | Buffer,
    headers: Readonly<Record<string, string>>,
  ): FileResponse {
    const identity = Buffer.from(content);
    const options = { etag: etagOfText(identity), isCompressedOnDemand: true };
    return new FileResponse({ identity }, headers, options);
  }

  /** Sends the file. If it rejects, the exception filter handles the error. */
  async send(response: Response): Promise<void> {
    const { headers, method } = response.req;
    const { etag, status = 200 } = this.options;
    const encoding = this.choose(headers['accept-encoding']);
    // A HEAD does not compress: the length is unknown until then.
    const isUnknown = method === 'HEAD' && this.storedIn(encoding) === undefined;
    const bytes = isUnknown ? undefined : await this.bytesIn(encoding);
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.setHeader('Vary', 'Accept-Encoding');
    if (etag !== undefined) {
      if (sendIfNotModified(response, etag)) return;
      response.setHeader('ETag', encoding === 'identity' ? etag : encodedTag(etag, encoding));
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    if (bytes) response.setHeader('Content-Length', bytes.length);
    response.statusCode = status;
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  /** Chooses the encoding that the client prefers; of several that it likes equally, the smallest. */
  private choose(acceptEncoding: string | undefined): Encoding {
    const { identity } = this.forms;
    if (this.options.isCompressedOnDemand) return encodingFor(acceptEncoding, identity.length);
    const accepted = acceptEncoding === undefined ? [] : acceptedEncodings(acceptEncoding, 'small');
    return accepted.find((encoding) => this.storedIn(encoding) !== undefined) ?? 'identity';
  }

  private storedIn(encoding: Encoding): Buffer | undefined {
    return encoding === 'zstd' ? undefined : this.forms[encoding];
  }

  private async bytesIn(encoding: Encoding): Promise<Buffer> {
    const stored = this.storedIn(encoding);
    if (stored || encoding === 'identity') return stored ?? this.forms.identity;
    return this.compressed.get(encoding) ?? this.compress(encoding);
  }

  private compress(coding: Coding): Promise<Buffer> {
    const compressing = compress(this.forms.identity, coding, 'small');
    this.compressed.set(coding, compressing);
    // The next request compresses again.
    compressing.catch(() => this.compressed.delete(coding));
    return compressing;
  }
}
