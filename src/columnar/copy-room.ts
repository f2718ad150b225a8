import { Injectable } from '@nestjs/common';
import { ColumnarDatabase } from './columnar-database';

/** What takes disk space for an account. */
export interface Occupant {
  readonly accountId: string;
  readonly bytes: number;
  /** Time of the last use, of `performance.now`. */
  readonly usedAtMs: number;
  /** Whether it can go. What is in use stays. */
  readonly canGo: boolean;
  /** Gives the space back. Never throws. */
  drop(): Promise<void>;
}

/** Disk space of all copies of this instance, which accounts share. */
@Injectable()
export class CopyRoom {
  private readonly lists: (() => readonly Occupant[])[] = [];

  constructor(private readonly database: ColumnarDatabase) {}

  /** Counts occupants. @param list Returns those at present. */
  register(list: () => readonly Occupant[]): void {
    this.lists.push(list);
  }

  /**
   * Drops occupants until all of them and a load have room: each time, the least recently used one of the
   * account that takes the most bytes and has one that can go.
   * @param load Account of the load, and its size so far in bytes.
   * @returns whether there is room.
   */
  async makeFor(load: Pick<Occupant, 'accountId' | 'bytes'>): Promise<boolean> {
    for (;;) {
      const occupants = this.lists.flatMap((list) => list());
      const sizes = sizesByAccount([...occupants, load]);
      const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
      if (total <= (await this.database.maxBytes(total))) return true;
      const sizeOf = ({ accountId }: Occupant): number => sizes.get(accountId) ?? 0;
      const own = sizes.get(load.accountId) ?? 0;
      // An account must not take the room of those that take less.
      const [first] = occupants
        .filter((one) => one.canGo && sizeOf(one) >= own)
        .sort((a, b) => sizeOf(b) - sizeOf(a) || a.usedAtMs - b.usedAtMs);
      if (!first) return false;
      await first.drop();
    }
  }
}

function sizesByAccount(
  all: readonly Pick<Occupant, 'accountId' | 'bytes'>[],
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { accountId, bytes } of all) {
    sizes.set(accountId, (sizes.get(accountId) ?? 0) + bytes);
  }
  return sizes;
}
