/** The part of negotiator that is used. The published types lack `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: {
      readonly headers: { readonly 'accept-encoding': string } | { readonly accept: string };
    });
    /**
     * Returns the elements of `available` that the client accepts, best first. `preferred` breaks
     * ties.
     */
    encodings<T extends string>(
      available: readonly T[],
      options: { readonly preferred: readonly T[] },
    ): T[];
    /** Returns the media types that the client accepts, best first. */
    mediaTypes(): string[];
  }
}
