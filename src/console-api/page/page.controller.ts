import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../platform/http/access';
import type { FileResponse } from '../../platform/http/file-response';
import { FileName } from '../../platform/http/path-id';
import { AnyQuery } from '../../platform/http/query';
import { PageService } from './page.service';

/** Paths of the console's router. All of them return the same page. */
const PAGES = [
  '',
  'sign-in',
  'invite/:token',
  'profile{/*path}',
  'users',
  'audit',
  'requests',
  'webhooks',
  'connections',
  'workspaces{/*path}',
  'datagrids/*path',
];

/** Pages and assets of the console. They are public: the page itself asks the user to sign in. */
@ApiExcludeController()
@Controller()
export class PageController {
  constructor(private readonly pages: PageService) {}

  @Get(PAGES)
  @Public('files')
  @AnyQuery()
  page(): FileResponse {
    return this.pages.page();
  }

  @Get('assets/:name')
  @Public('files')
  asset(@FileName() name: string): FileResponse {
    return this.pages.asset(name);
  }
}
