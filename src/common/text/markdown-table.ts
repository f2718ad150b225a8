/** Prints a Markdown table as the formatter does. The first row is the header. */
export function markdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill: string): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const separator = header.map(() => '');
  return [line(header, ' '), line(separator, '-'), ...rows.map((row) => line(row, ' '))].join('\n');
}
