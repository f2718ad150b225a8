/** One object with its strong ETag, including the quotes. */
export class Item<T> {
  constructor(
    readonly data: T,
    readonly etag: string,
  ) {}
}
