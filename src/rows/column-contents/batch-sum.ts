export interface BatchCount {
  /** Of the batch; `null` where no rows follow. */
  readonly lastId: number | null;
  readonly count: number;
}

/** Goes over all rows, a batch at a time, and adds up what `next` counts in each. */
export async function sumBatches(next: (afterId: number) => Promise<BatchCount>): Promise<number> {
  let total = 0;
  let afterId = 0;
  for (;;) {
    const { lastId, count } = await next(afterId);
    if (lastId === null) return total;
    total += count;
    afterId = lastId;
  }
}
