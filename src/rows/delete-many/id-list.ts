/** Seven bits of a number go into a byte; the eighth says that more follow. */
const BASE = 0x80;

/**
 * Many ids in ascending order, at one or two bytes each: what a filter finds may be millions of
 * rows, and an array of them would take eight times the memory.
 */
export class IdList {
  count = 0;
  private last = 0;
  private readonly parts: Uint8Array[] = [];

  /** @param ids In ascending order, all above those that are there. */
  append(ids: readonly number[]): void {
    const bytes: number[] = [];
    for (const id of ids) {
      let rest = id - this.last;
      this.last = id;
      for (; rest >= BASE; rest = Math.floor(rest / BASE)) bytes.push((rest % BASE) + BASE);
      bytes.push(rest);
    }
    this.parts.push(Uint8Array.from(bytes));
    this.count += ids.length;
  }

  /** All ids in their order, in arrays of `size`; the last one may be shorter. */
  *chunks(size: number): Generator<number[]> {
    let chunk: number[] = [];
    let id = 0;
    let unit = 1;
    for (const part of this.parts) {
      for (const byte of part) {
        id += (byte % BASE) * unit;
        unit *= BASE;
        if (byte >= BASE) continue;
        unit = 1;
        chunk.push(id);
        if (chunk.length < size) continue;
        yield chunk;
        chunk = [];
      }
    }
    if (chunk.length > 0) yield chunk;
  }
}
