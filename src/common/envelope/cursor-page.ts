/** Rows after a cursor, as JSON text that goes into the envelope as it is. */
export class CursorPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Items in `json`. */
    readonly count: number,
    /** Goes on after the last item; `null` at the end. */
    readonly nextCursor: string | null,
    /** Strong validator of this page, quotes included. */
    readonly etag: string,
  ) {}
}
