/** Options of the response to a write. */
export interface WriteResponse {
  /**
   * Whether rows are returned with only their ids and revisions, as `Prefer: return=minimal`
   * requests.
   */
  readonly isMinimal: boolean;
  /**
   * Reserves memory for a response of that size. Call it before the commit, because a committed
   * write must get its response. Small responses need no reservation.
   * @throws AppError `unavailable` or `rate_limited` if there is not enough memory.
   */
  reserve(bytes: number): void;
}
