import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller';
import { DocsPage } from './docs-page';
import { OpenApiController } from './openapi.controller';
import { OpenApiDescription } from './openapi-description';

@Module({
  controllers: [OpenApiController, DocsController],
  providers: [OpenApiDescription, DocsPage],
})
export class OpenApiModule {}
