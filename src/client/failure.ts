/** A call that cannot be made as it is; told in one line. */
export class WrongUsage extends Error {}

/** What failed, told by its message alone. */
export class ClientFailure extends Error {
  constructor(
    message: string,
    /** The path of what tells more. */
    readonly location?: string,
  ) {
    super(message);
  }
}

/** A failure that may pass: it is worth trying again. */
export class TransientError extends ClientFailure {
  constructor(
    message: string,
    /** What the service asks to wait. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}
