import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentResponse, Public } from '../../platform/http/access';
import type { FileResponse } from '../../platform/http/file-response';
import { FileName, LinkToken } from '../../platform/http/path-id';
import type { CountedResponse } from '../../platform/load/load';
import { AnyQuery } from '../../platform/http/query';
import { PageService } from './page.service';

/** Paths of the console's router. All of them return the same page. */
const PAGES = [
  '',
  'sign-in',
  'sign-in/:id',
  'sign-in/:id/callback',
  'invite/:token',
  'oauth/authorize',
  'profile{/*path}',
  'users{/*path}',
  'security',
  'audit',
  'requests',
  'sql',
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

  /** The page of a public link of a view. */
  @Get('shared/:token')
  @Public()
  @AnyQuery()
  shared(
    @LinkToken() token: string,
    @CurrentResponse() response: Response & CountedResponse,
  ): Promise<FileResponse> {
    return this.pages.shared(token, response);
  }

  @Get('assets/:name')
  @Public('files')
  asset(@FileName() name: string): FileResponse {
    return this.pages.asset(name);
  }
}
