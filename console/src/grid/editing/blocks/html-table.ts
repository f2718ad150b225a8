import type { Block } from './tsv';

/** Attribute of a table that the console copied, whose texts are exact. */
const MARK = 'data-datagrid-cells';

/** Prints cells as a table, for programs that prefer HTML. */
export function printTable(block: Block): string {
  const rows = block.map((cells) => `<tr>${cells.map(printCell).join('')}</tr>`);
  return `<table ${MARK}="1"><tbody>${rows.join('')}</tbody></table>`;
}

function printCell(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r\n', '<br>')
    .replaceAll('\n', '<br>');
  return `<td style="white-space:pre-wrap;mso-number-format:'\\@'">${escaped}</td>`;
}

/** Returns whether HTML of the clipboard was copied from a grid of the console. */
export function isOwnTable(html: string): boolean {
  return html.includes(`<table ${MARK}="1">`);
}

/** Reads the first table of HTML, or `undefined` if there is none. */
export function parseTable(html: string): string[][] | undefined {
  const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table');
  if (!table) return undefined;
  return [...table.rows].map((row) =>
    [...row.cells].map((cell) => {
      for (const br of cell.querySelectorAll('br')) br.replaceWith('\n');
      return cell.textContent.replaceAll('\u00a0', ' ');
    }),
  );
}
