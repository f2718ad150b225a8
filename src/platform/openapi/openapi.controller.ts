import { Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/access';
import type { PreparedAnswer } from '../http/prepared-answer';
import { PublicApiController } from '../http/public-api';
import { OpenApiDescription } from './openapi-description';

@ApiExcludeController()
@PublicApiController('openapi.json')
export class OpenApiController {
  constructor(private readonly description: OpenApiDescription) {}

  /** The description itself, in no envelope: tools read it as it stands. */
  @Get()
  @Public()
  get(): PreparedAnswer {
    return this.description.prepare();
  }
}
