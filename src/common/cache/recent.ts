/** Keeps what was used last, up to a weight; what was used longest ago goes first. */
export class Recent<T> {
  /** In the order of their last use. */
  private readonly kept = new Map<string, T>();
  private weight = 0;

  /** @param weigh What an entry counts, to be the same each time; 1 where all count alike. */
  constructor(
    private readonly mostWeight: number,
    private readonly weigh: (value: T) => number = () => 1,
  ) {}

  find(key: string): T | undefined {
    const value = this.kept.get(key);
    if (value !== undefined) {
      this.kept.delete(key);
      this.kept.set(key, value);
    }
    return value;
  }

  set(key: string, value: T): void {
    this.delete(key);
    this.kept.set(key, value);
    this.weight += this.weigh(value);
    for (const [oldest] of this.kept) {
      if (this.weight <= this.mostWeight) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.kept.clear();
    this.weight = 0;
  }

  delete(key: string): void {
    const value = this.kept.get(key);
    if (value === undefined) return;
    this.kept.delete(key);
    this.weight -= this.weigh(value);
  }
}
