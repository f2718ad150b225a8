import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/access';
import { FileName } from '../http/path-id';
import type { PreparedAnswer } from '../http/prepared-answer';
import { AnyQuery } from '../http/query';
import { DocsPage } from './docs-page';

/** The API's description for people. */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
  constructor(private readonly docs: DocsPage) {}

  @Get()
  @Public('files')
  @AnyQuery()
  page(): PreparedAnswer {
    return this.docs.page;
  }

  @Get(':name')
  @Public('files')
  file(@FileName() name: string): Promise<PreparedAnswer> {
    return this.docs.file(name);
  }
}
