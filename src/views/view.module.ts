import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { SharedViewController } from './link/shared-view.controller';
import { SharedViewLimits } from './link/shared-view-limits';
import { SharedViewService } from './link/shared-view.service';
import { ViewLinkController } from './link/view-link.controller';
import { ViewLinkRepository } from './link/view-link.repository';
import { ViewLinkService } from './link/view-link.service';
import { ViewController } from './view.controller';
import { ViewRepository } from './view.repository';
import { ViewService } from './view.service';

@Module({
  imports: [DatagridModule, RowModule],
  controllers: [ViewController, ViewLinkController, SharedViewController],
  providers: [
    ViewService,
    ViewRepository,
    ViewLinkService,
    ViewLinkRepository,
    SharedViewService,
    SharedViewLimits,
  ],
  exports: [SharedViewService],
})
export class ViewModule {}
