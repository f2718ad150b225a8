/** The parts of a response that are needed to replay it. */
export interface StoredResponse {
  readonly status: number;
  /** Headers, except those that every response of its kind has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body as sent; `null` if there is none. */
  readonly body: string | null;
}

/** Response of a request that was executed now, not replayed. */
export interface FirstAnswer extends StoredResponse {
  /** Whether to store the response. `false` if nothing was changed. */
  readonly isKept: boolean;
}
