import { Injectable } from '@nestjs/common';
import { Sealer } from '../../platform/secrets/sealer';
import { StoredSecrets } from '../../platform/secrets/stored-secrets';
import { FactorRepository } from './factor.repository';
import { totpSecretPlace } from './factor.service';

/** The secrets of authenticator apps, for operator commands. */
@Injectable()
export class FactorSecretService extends StoredSecrets {
  constructor(repository: FactorRepository, sealer: Sealer) {
    super(sealer, repository, totpSecretPlace);
  }
}
