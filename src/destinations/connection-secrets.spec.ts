import { createLogger } from '../platform/logging/logger';
import { Sealer } from '../platform/secrets/sealer';
import { ConnectionSecrets } from './connection-secrets';

it('rejects a secret that begins with NUL, because sealed bytes do', () => {
  const secrets = new ConnectionSecrets(new Sealer([]), createLogger({ logLevel: 'silent' }));
  expect(() => secrets.seal('019aa2f4-0000-7000-8000-000000000000', '\0a')).toThrow(
    'A secret must not begin with NUL.',
  );
});
