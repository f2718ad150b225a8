import { Module } from '@nestjs/common';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { ConnectionRunRepository } from './connection-run.repository';
import { ConnectionRunController, ConnectionTableController } from './connection-table.controller';
import { ConnectionTableRepository } from './connection-table.repository';
import { ConnectionTableService } from './connection-table.service';
import { ConnectionTestService } from './connection-test.service';
import { ConnectionController } from './connection.controller';
import { ConnectionRepository } from './connection.repository';
import { ConnectionService } from './connection.service';
import { DestinationModule } from '../destinations/destination.module';
import { ConnectionHooks } from './connection-hooks';
import { TableSetRepository } from './table-set.repository';

@Module({
  imports: [WorkspaceModule, DestinationModule],
  controllers: [ConnectionController, ConnectionTableController, ConnectionRunController],
  providers: [
    ConnectionService,
    ConnectionRepository,
    ConnectionTableService,
    ConnectionTableRepository,
    ConnectionRunRepository,
    TableSetRepository,
    ConnectionHooks,
    ConnectionTestService,
  ],
  exports: [ConnectionService, ConnectionRepository, ConnectionHooks],
})
export class ConnectionModule {}
