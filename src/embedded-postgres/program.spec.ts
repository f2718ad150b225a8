import { access, constants } from 'node:fs/promises';
import { locateBinaries } from './program';

describe('locateBinaries', () => {
  it('finds executable programs', async () => {
    const { initdb, postgres } = locateBinaries();

    await expect(access(initdb, constants.X_OK)).resolves.toBeUndefined();
    await expect(access(postgres, constants.X_OK)).resolves.toBeUndefined();
  });

  it('throws and names DATABASE_URL if the platform has no binaries', () => {
    expect(() => locateBinaries('sunos', 'sparc')).toThrow(
      /embedded PostgreSQL is not available for sunos-sparc.*Set DATABASE_URL/,
    );
  });
});
