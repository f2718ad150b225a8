import { Injectable } from '@nestjs/common';
import { connectionSecretPlace } from '../destinations/connection-secrets';
import { Sealer } from '../platform/secrets/sealer';
import { StoredSecretService } from '../platform/secrets/stored-secret.service';
import { ConnectionSecretRepository } from './connection-secret.repository';

/** The secrets of connections, for operator commands. */
@Injectable()
export class ConnectionSecretService extends StoredSecretService {
  constructor(repository: ConnectionSecretRepository, sealer: Sealer) {
    super(sealer, repository, connectionSecretPlace);
  }
}
