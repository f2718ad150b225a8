import { Module } from '@nestjs/common';
import { ConnectionAdminRepository } from './connection-admin.repository';
import { ConnectionAdminService } from './connection-admin.service';
import { ConnectionSecretRepository } from './connection-secret.repository';
import { ConnectionSecretService } from './connection-secret.service';
import { ConnectionSecrets } from '../destinations/connection-secrets';
import { ConnectionTableRepository } from './connection-table.repository';

/** Providers of the operator commands for connections. Connects to no destination. */
@Module({
  providers: [
    ConnectionAdminService,
    ConnectionAdminRepository,
    ConnectionTableRepository,
    ConnectionSecretService,
    ConnectionSecretRepository,
    ConnectionSecrets,
  ],
  exports: [ConnectionAdminService, ConnectionSecretService],
})
export class ConnectionCommandModule {}
