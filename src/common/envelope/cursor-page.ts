/** Rows after a cursor, as JSON text that is copied into the envelope. */
export class CursorPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Items in `json`. */
    readonly count: number,
    /** Cursor that continues after the last item; `null` on the last page. */
    readonly nextCursor: string | null,
    /** Strong ETag of this page, including the quotes. */
    readonly etag: string,
  ) {}
}
