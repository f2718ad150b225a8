import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../platform/http/access';
import type { FileAnswer } from '../../platform/http/file-answer';
import { AnyQuery } from '../../platform/http/query';
import { AssetName } from '../path-parameters';
import { PageService } from './page.service';

/** Every path that the console's own router knows. */
const PAGES = [
  '',
  'sign-in',
  'invite/:token',
  'profile{/*path}',
  'users',
  'audit',
  'workspaces{/*path}',
  'datagrids/*path',
];

/** For browsers: who is not signed in finds the page too, which then asks them to. */
@ApiExcludeController()
@Controller()
export class PageController {
  constructor(private readonly pages: PageService) {}

  @Get(PAGES)
  @Public('files')
  @AnyQuery()
  page(): FileAnswer {
    return this.pages.page();
  }

  @Get('assets/:name')
  @Public('files')
  asset(@AssetName() name: string): FileAnswer {
    return this.pages.asset(name);
  }
}
