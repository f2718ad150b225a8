import { Module } from '@nestjs/common';
import { DocsController, DocsPage } from './docs.controller';
import { OpenApiController, OpenApiDescription } from './openapi.controller';

@Module({
  controllers: [OpenApiController, DocsController],
  providers: [OpenApiDescription, DocsPage],
})
export class OpenApiModule {}
