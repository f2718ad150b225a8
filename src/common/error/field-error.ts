/** What is wrong with one member or parameter of a request; shown to the client. */
export interface FieldError {
  /** Where: a parameter's name, or a dotted path into the body such as `rows.3.values.amount`. */
  field: string;
  /** What, for programs: short snake_case from a documented list. */
  code: string;
  /** What, for people: one line of English that says what would be accepted. */
  message: string;
}
