/** One object with its strong validator, quotes included. */
export class Item<T> {
  constructor(
    readonly data: T,
    readonly etag: string,
  ) {}
}
