import { Module } from '@nestjs/common';
import { ConnectionSecretRepository } from './connection-secret.repository';
import { ConnectionSecretService } from './connection-secret.service';
import { ConnectionSecrets } from './connection-secrets';

/** Providers of the operator commands for connections. Connects to no destination. */
@Module({
  providers: [ConnectionSecretService, ConnectionSecretRepository, ConnectionSecrets],
  exports: [ConnectionSecretService],
})
export class ConnectionCommandModule {}
