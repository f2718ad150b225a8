import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller';
import { OpenApiDescription } from './openapi-description';

@Module({ controllers: [OpenApiController], providers: [OpenApiDescription] })
export class OpenApiModule {}
