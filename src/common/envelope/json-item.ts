/** One object that is JSON text already; it goes into the envelope as it is. */
export class JsonItem {
  constructor(
    readonly json: string,
    /** Strong validator, quotes included, where there is one. */
    readonly etag?: string,
  ) {}
}
