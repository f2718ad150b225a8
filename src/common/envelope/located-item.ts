/** One object that the request has created or started, at its own URL. */
export class LocatedItem {
  constructor(
    readonly data: object,
    /** Path of the object, for the `Location` header. */
    readonly location: string,
    /**
     * Whether it is complete: the response is 201. Otherwise it is in progress and the response is
     * 202.
     */
    readonly isComplete: boolean,
    /** Whether an earlier request has started it. */
    readonly isReplayed: boolean,
  ) {}
}
