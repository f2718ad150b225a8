/** Number of ids of a block, of which each takes a bit. */
const BLOCK_IDS = 65_536;
const BITS = 8;

/**
 * The rows that an import has matched or created, by id: 8 KiB of memory for each 65,536 ids. Ids are
 * assigned in ascending order, so a set of millions takes little.
 */
export class MatchedRows {
  private readonly blocks = new Map<number, Uint8Array>();

  has(id: number): boolean {
    const [block, byte, bit] = placeOf(id);
    return ((this.blocks.get(block)?.[byte] ?? 0) & bit) !== 0;
  }

  add(ids: readonly number[]): void {
    for (const id of ids) {
      const [block, byte, bit] = placeOf(id);
      const bytes = this.blocks.get(block) ?? new Uint8Array(BLOCK_IDS / BITS);
      this.blocks.set(block, bytes);
      bytes[byte] = (bytes[byte] ?? 0) | bit;
    }
  }
}

function placeOf(id: number): [block: number, byte: number, bit: number] {
  const at = id % BLOCK_IDS;
  return [Math.floor(id / BLOCK_IDS), Math.floor(at / BITS), 1 << (at % BITS)];
}
