import { Injectable } from '@nestjs/common';
import { Sealer } from '../../platform/secrets/sealer';
import { StoredSecretService } from '../../platform/secrets/stored-secret.service';
import { FactorRepository } from './factor.repository';
import { totpSecretPlace } from './factor.service';

/** The secrets of authenticator apps, for operator commands. */
@Injectable()
export class FactorSecretService extends StoredSecretService {
  constructor(repository: FactorRepository, sealer: Sealer) {
    super(sealer, repository, totpSecretPlace);
  }
}
