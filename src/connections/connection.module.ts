import { Module } from '@nestjs/common';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { ConnectionRunRepository } from './connection-run.repository';
import { ConnectionSecrets } from './connection-secrets';
import { ConnectionRunController, ConnectionTableController } from './connection-table.controller';
import { ConnectionTableRepository } from './connection-table.repository';
import { ConnectionTableService } from './connection-table.service';
import { ConnectionTestService } from './connection-test.service';
import { ConnectionController } from './connection.controller';
import { ConnectionRepository } from './connection.repository';
import { ConnectionService } from './connection.service';
import {
  DESTINATION_KINDS,
  DestinationKinds,
  type KindsByType,
} from './destination/destination-kinds';
import { TableSetRepository } from './table-set.repository';

@Module({
  imports: [WorkspaceModule],
  controllers: [ConnectionController, ConnectionTableController, ConnectionRunController],
  providers: [
    ConnectionService,
    ConnectionRepository,
    ConnectionTableService,
    ConnectionTableRepository,
    ConnectionRunRepository,
    TableSetRepository,
    ConnectionTestService,
    ConnectionSecrets,
    DestinationKinds,
    { provide: DESTINATION_KINDS, useFactory: (): KindsByType => ({}) },
  ],
})
export class ConnectionModule {}
