/** Measured values: counts, and times in milliseconds if their name says so. */
export type Figures = Readonly<Record<string, number | string>>;

/**
 * Prints a test's figures in one line on standard output, such as
 * `kill -9 of an instance · requests 1000 · acknowledged 996 · lost 0`.
 */
export function printFigures(title: string, figures: Figures): void {
  const parts = Object.entries(figures).map(([name, value]) => `${name} ${shown(value)}`);
  process.stdout.write(`${[title, ...parts].join(' · ')}\n`);
}

function shown(value: number | string): string {
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;
}
