import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentResponse, Public } from '../../platform/http/access';
import { LinkToken } from '../../platform/http/path-id';
import { OwnParameters } from '../../platform/http/query';
import type { CountedResponse } from '../../platform/load/load';
import { SharedViewService } from './shared-view.service';

/** The rows of a public link. The page that shows them is one of the console's. */
@ApiExcludeController()
@Controller('shared/:token')
export class SharedViewController {
  constructor(private readonly views: SharedViewService) {}

  @Get('rows')
  @Public()
  rows(
    @LinkToken() token: string,
    @OwnParameters({ name: 'cursor' }, { name: 'limit' }) query: Record<string, unknown>,
    @CurrentResponse() response: Response & CountedResponse,
  ): Promise<JsonResponse> {
    return this.views.rows(token, query, response);
  }
}
