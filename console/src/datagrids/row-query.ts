/** Query of rows, without the page. */
export interface RowQuery {
  /** JSON, as text. */
  readonly filter?: string | undefined;
  /** Such as `-size,name`. */
  readonly sort?: string | undefined;
  /** Search text. */
  readonly q?: string | undefined;
  /** Id of a saved view. */
  readonly view?: string | undefined;
}
