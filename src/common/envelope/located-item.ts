/** One object that was started by the request, and stands at a place of its own. */
export class LocatedItem {
  constructor(
    readonly data: object,
    /** Its path, for the `Location` header. */
    readonly location: string,
    /** Whether it is complete: 201. Otherwise it goes on, and the answer is 202. */
    readonly isComplete: boolean,
    /** Whether an earlier request has started it. */
    readonly isReplayed: boolean,
  ) {}
}
