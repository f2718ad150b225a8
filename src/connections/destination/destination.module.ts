import { Module } from '@nestjs/common';
import { ConnectionSecrets } from '../connection-secrets';
import { DESTINATION_KINDS, DestinationKinds, type KindsByType } from './destination-kinds';
import { PostgresqlKind } from './postgresql/postgresql-kind';

@Module({
  providers: [
    ConnectionSecrets,
    DestinationKinds,
    PostgresqlKind,
    {
      provide: DESTINATION_KINDS,
      useFactory: (postgresql: PostgresqlKind): KindsByType => ({ postgresql }),
      inject: [PostgresqlKind],
    },
  ],
  exports: [ConnectionSecrets, DestinationKinds],
})
export class DestinationModule {}
