import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { DeliveryController } from './delivery.controller';
import { AttemptRepository } from './delivery/attempt.repository';
import { ChangeLogRepository } from './delivery/change-log.repository';
import { DeliveryMetrics } from './delivery/delivery-metrics';
import { DeliveryStateRepository } from './delivery/delivery-state.repository';
import { DeliveryService } from './delivery/delivery.service';
import { EventSource } from './delivery/event-source';
import { LaneRun } from './delivery/lane-run';
import { LaneRepository } from './delivery/lane.repository';
import { WebhookSender } from './delivery/webhook-sender';
import { RowMatcher } from './filter/row-matcher';
import { WebhookFilterRepository } from './filter/webhook-filter.repository';
import { WebhookFilterService } from './filter/webhook-filter.service';
import { LaneEndRepository } from './lane-end.repository';
import { LaneSetRepository } from './lane-set.repository';
import { SigningSecrets } from './signing-secrets';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookHealthService } from './webhook-health.service';
import { WebhookLogReader } from './webhook-log-reader';
import { WebhookController } from './webhook.controller';
import { WebhookRepository } from './webhook.repository';
import { WebhookService } from './webhook.service';

@Module({
  imports: [WorkspaceModule, DatagridModule],
  controllers: [WebhookController, DeliveryController],
  providers: [
    WebhookService,
    WebhookRepository,
    SigningSecrets,
    WebhookFilterService,
    WebhookFilterRepository,
    RowMatcher,
    WebhookDeliveryService,
    WebhookHealthService,
    WebhookLogReader,
    LaneSetRepository,
    LaneEndRepository,
    DeliveryService,
    LaneRun,
    LaneRepository,
    ChangeLogRepository,
    EventSource,
    AttemptRepository,
    WebhookSender,
    DeliveryMetrics,
    DeliveryStateRepository,
  ],
})
export class WebhookModule {}
