/** Settings of a column beside its type. */
export class ColumnOptionsDto {
  /**
   * What may be chosen, in the order to be shown; of `select` and `multiSelect` only, where it
   * is required: 1 to 1,000 distinct strings of 1 to 200 characters
   * @example ['open', 'closed']
   */
  choices?: string[];
}
