/**
 * A 304 response without a body: the client has the current version, according to `If-None-Match`.
 */
export class NotModified {
  /** @param etag Strong ETag, including the quotes. */
  constructor(readonly etag: string) {}
}
