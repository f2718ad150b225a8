import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the package's directory. Sources and build output are at different depths in it. */
export function packageDirectory(): string {
  let directory = __dirname;
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory) {
    directory = dirname(directory);
  }
  return directory;
}
