/** Thrown when a command is called incorrectly. Reported as one line. */
export class WrongUsage extends Error {}

/** Thrown for an expected failure. Only its message is reported, without a stack trace. */
export class ClientFailure extends Error {
  constructor(
    message: string,
    /** Path of a resource with details, such as an import report. */
    readonly location?: string,
  ) {
    super(message);
  }
}

/** Thrown for a failure that may be temporary. Retrying may succeed. */
export class TransientError extends ClientFailure {
  constructor(
    message: string,
    /** The wait that the service requests in `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}
