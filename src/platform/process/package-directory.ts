import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the package stands: the sources and what is built of them are not equally deep in it. */
export function packageDirectory(): string {
  let directory = __dirname;
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory) {
    directory = dirname(directory);
  }
  return directory;
}
