/** One object as JSON text, which is copied into the envelope. */
export class JsonItem {
  constructor(
    readonly json: string,
    /** Strong ETag, including the quotes, if there is one. */
    readonly etag?: string,
  ) {}
}
