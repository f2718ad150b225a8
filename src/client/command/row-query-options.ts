import type { Command } from 'commander';

/** Command-line options that select rows. */
export interface RowQueryOptions {
  readonly filter?: string;
  readonly sort?: string;
  readonly fields?: string;
  readonly q?: string;
}

export function addRowQueryOptions(command: Command): Command {
  return command
    .option('--filter <json>', 'what rows must meet, such as {"status":"paid"}')
    .option('--sort <columns>', 'up to four, a minus for the greatest first')
    .option('--fields <columns>', 'the columns to give')
    .option('--q <text>', 'text to be found in any text column');
}

/** Returns the query string of a URL, with the options that are set. */
export function rowQueryOf(
  { filter, sort, fields, q }: RowQueryOptions,
  others: Readonly<Record<string, string | undefined>>,
): string {
  const all = Object.entries({ ...others, filter, sort, fields, q });
  const given = all.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return new URLSearchParams(Object.fromEntries(given)).toString();
}
