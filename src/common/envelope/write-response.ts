/** How the response to a write is to be made. */
export interface WriteResponse {
  /** Whether rows are told by their ids and revisions alone, as `Prefer: return=minimal` asks. */
  readonly isMinimal: boolean;
  /**
   * Reserves room for the response, which is known to be that large: before the commit, since a
   * write that was committed must be answered. Small ones need none.
   * @throws AppError `unavailable` or `rate_limited`
   */
  reserve(bytes: number): void;
}
