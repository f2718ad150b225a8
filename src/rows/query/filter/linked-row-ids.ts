/** Operator of link columns whose operand is a filter on the linked rows. */
export const ROW_OPERATOR = '$row';

/**
 * The linked rows that a `$row` condition matches. Only the service creates it, in place of the operand
 * that the client sent.
 */
export class LinkedRowIds {
  constructor(readonly ids: readonly number[]) {}

  /** The ids are part of what the ETag of a response depends on. */
  toJSON(): readonly number[] {
    return this.ids;
  }
}
