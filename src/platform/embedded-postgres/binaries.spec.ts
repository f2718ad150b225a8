import { access, constants } from 'node:fs/promises';
import { locateBinaries } from './binaries';

describe('locateBinaries', () => {
  it('finds programs that can be run', async () => {
    const { initdb, postgres } = locateBinaries();

    await expect(access(initdb, constants.X_OK)).resolves.toBeUndefined();
    await expect(access(postgres, constants.X_OK)).resolves.toBeUndefined();
  });

  it('names DATABASE_URL where there are none for the platform', () => {
    expect(() => locateBinaries('sunos', 'sparc')).toThrow(
      /no embedded PostgreSQL for sunos-sparc.*Set DATABASE_URL/,
    );
  });
});
