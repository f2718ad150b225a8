import { Injectable } from '@nestjs/common';
import { Sealer } from '../../platform/secrets/sealer';
import { StoredSecretService } from '../../platform/secrets/stored-secret.service';
import { ProviderRepository } from './provider.repository';
import { providerSecretPlace } from './provider.service';

/** The client secrets of providers, for operator commands. */
@Injectable()
export class ProviderSecretService extends StoredSecretService {
  constructor(repository: ProviderRepository, sealer: Sealer) {
    super(sealer, repository, providerSecretPlace);
  }
}
