/** Passes over a record that is too long to be kept, to find where the next one begins. */
export class LongCsvRecord {
  /** Lines that it stands on. */
  lines = 1;
  private isInQuotes = false;

  /** @returns the text that follows the record; `null` where it goes on. */
  skip(text: string): string | null {
    for (let at = 0; ;) {
      const feed = text.indexOf('\n', at);
      this.countQuotes(text, at, feed === -1 ? text.length : feed);
      if (feed === -1) return null;
      at = feed + 1;
      if (!this.isInQuotes) return text.slice(at);
      this.lines += 1;
    }
  }

  /** A doubled quote leaves it as it is. */
  private countQuotes(text: string, from: number, to: number): void {
    let at = text.indexOf('"', from);
    while (at !== -1 && at < to) {
      this.isInQuotes = !this.isInQuotes;
      at = text.indexOf('"', at + 1);
    }
  }
}
