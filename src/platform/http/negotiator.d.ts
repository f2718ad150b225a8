/** What is used of it; the types that are published know no `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: { readonly 'accept-encoding': string } });
    /** Those of `available` that the client accepts, the best first; `preferred` settles a tie. */
    encodings<T extends string>(
      available: readonly T[],
      options: { readonly preferred: readonly T[] },
    ): T[];
  }
}
