import type { SqlResult } from '@datagrid/client';

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL\(.*\))$/;

/** Returns a result as text: a line of names, a line below them, and one line for each row. */
export function tableOf({ data, meta }: SqlResult): string {
  const columns = meta.columns.map(({ name, type }) => {
    const cells = data.map((row) => cellOf(row[name]));
    const title = cellOf(name);
    const width = Math.max(...[title, ...cells].map(lengthOf));
    const pad = (cell: string): string => {
      const spaces = ' '.repeat(width - lengthOf(cell));
      return NUMBERS.test(type) ? spaces + cell : cell + spaces;
    };
    return { title: pad(title), line: '-'.repeat(width), cells: cells.map(pad) };
  });
  const lines = [
    columns.map(({ title }) => title),
    columns.map(({ line }) => line),
    ...data.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
  ];
  return lines.map((cells) => `${cells.join('  ').trimEnd()}\n`).join('');
}

const SEGMENTS = new Intl.Segmenter('en');

const lengthOf = (cell: string): number => [...SEGMENTS.segment(cell)].length;

/** Returns the text of a value in one line, without characters that control a terminal. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return escaped === character ? `\\u${code}` : escaped;
  });
}
