/** As much of an answer as it takes to give it again. */
export interface StoredResponse {
  readonly status: number;
  /** Beside those that every answer of its kind has. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent; `null` where there was none. */
  readonly body: string | null;
}

/** What a request was answered with that was carried out now. */
export interface FirstAnswer extends StoredResponse {
  /** Whether to keep it: not where nothing was changed. */
  readonly isKept: boolean;
}
