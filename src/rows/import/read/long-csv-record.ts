import type { CsvSyntax } from './quoted-record';

/** Where in a record the last character stood. */
type Place = 'cell start' | 'plain' | 'quoted' | 'after quote' | 'after return' | 'faulty';

/**
 * Passes over a record that is too long to be kept, to find where the next one begins: at the same
 * place as if it were read. After a misplaced quote that is the end of the line.
 */
export class LongCsvRecord {
  /** Lines that it stands on. */
  lines = 1;
  private place: Place = 'cell start';

  constructor(private readonly syntax: CsvSyntax) {}

  /** @returns the text that follows the record; `null` where it goes on. */
  skip(text: string): string | null {
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === this.syntax.lineEnd) {
        if (this.place !== 'quoted') return text.slice(at + 1);
        this.lines += 1;
      } else {
        this.place = placeAfter(this.place, character, this.syntax.delimiter);
      }
    }
    return null;
  }
}

function placeAfter(place: Place, character: string, delimiter: string): Place {
  switch (place) {
    case 'cell start':
    case 'plain':
      if (character === delimiter) return 'cell start';
      if (character !== '"') return 'plain';
      return place === 'cell start' ? 'quoted' : 'faulty';
    case 'quoted':
      return character === '"' ? 'after quote' : 'quoted';
    case 'after quote':
      if (character === '"') return 'quoted';
      if (character === delimiter) return 'cell start';
      return character === '\r' ? 'after return' : 'faulty';
    case 'after return':
    case 'faulty':
      return 'faulty';
  }
}
