/** What the API is asked for rows, besides the page. */
export interface RowQuery {
  /** JSON, as text. */
  readonly filter?: string | undefined;
  /** Such as `-size,name`. */
  readonly sort?: string | undefined;
  /** Text to be found. */
  readonly q?: string | undefined;
}
