/** An error in one property or parameter of a request, shown to the client. */
export interface FieldError {
  /**
   * Location: a parameter's name, or a dotted path into the body such as `rows.3.values.amount`.
   */
  field: string;
  /** Machine-readable error in short snake_case, from a documented list. */
  code: string;
  /** Human-readable error: one line of English that says what would be accepted. */
  message: string;
}
