/** The client has what it asks for, as its `If-None-Match` says: 304, without a body. */
export class NotModified {
  /** @param etag Strong validator, quotes included. */
  constructor(readonly etag: string) {}
}
