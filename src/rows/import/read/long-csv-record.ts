import type { CsvSyntax } from './csv-dialect';

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/** State of the scanner after the last character. */
type Place = 'cell start' | 'plain' | 'quoted' | 'after quote' | 'after return' | 'faulty';

/**
 * Skips a record that is too large to read, and finds the start of the next record: the same
 * position as if the record were read. After a misplaced quote, the record ends at the end of the
 * line.
 */
export class LongCsvRecord {
  /** Number of lines that the record spans. */
  lines = 1;
  private place: Place = 'cell start';

  private readonly lineEnd: number;
  private readonly delimiter: number;

  constructor({ lineEnd, delimiter }: Pick<CsvSyntax, 'lineEnd' | 'delimiter'>) {
    this.lineEnd = lineEnd.charCodeAt(0);
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** @returns the text after the record; `null` if the record continues. */
  skip(text: string): string | null {
    const { lineEnd, delimiter } = this;
    let { place } = this;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === lineEnd) {
        if (place !== 'quoted') return text.slice(at + 1);
        this.lines += 1;
      } else {
        place = placeAfter(place, code, delimiter);
      }
    }
    this.place = place;
    return null;
  }
}

function placeAfter(place: Place, code: number, delimiter: number): Place {
  switch (place) {
    case 'cell start':
    case 'plain':
      if (code === delimiter) return 'cell start';
      if (code !== QUOTE) return 'plain';
      return place === 'cell start' ? 'quoted' : 'faulty';
    case 'quoted':
      return code === QUOTE ? 'after quote' : 'quoted';
    case 'after quote':
      if (code === QUOTE) return 'quoted';
      if (code === delimiter) return 'cell start';
      return code === CARRIAGE_RETURN ? 'after return' : 'faulty';
    case 'after return':
    case 'faulty':
      return 'faulty';
  }
}
