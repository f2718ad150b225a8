import type { CsvSyntax } from './csv-dialect';

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/** Where in a record the last character stood. */
type Place = 'cell start' | 'plain' | 'quoted' | 'after quote' | 'after return' | 'faulty';

/**
 * Passes over a record that is too large to be read, to find where the next one begins: at the same
 * place as if it were read. After a misplaced quote that is the end of the line.
 */
export class LongCsvRecord {
  /** Lines that it stands on. */
  lines = 1;
  private place: Place = 'cell start';

  private readonly lineEnd: number;
  private readonly delimiter: number;

  constructor({ lineEnd, delimiter }: Pick<CsvSyntax, 'lineEnd' | 'delimiter'>) {
    this.lineEnd = lineEnd.charCodeAt(0);
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** @returns the text that follows the record; `null` where it goes on. */
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
