import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../../common/error/app-error';
import { Public, PUBLIC_API } from '../http/access';
import { FileName, FolderName } from '../http/path-id';
import { FileResponse } from '../http/file-response';
import { AnyQuery } from '../http/query';
import { CONSOLE_API } from '../http/rewrite-console-url';
import { type Guide, Guides } from './guides';
import { GUIDES } from './naming';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const IMAGE = 'image/svg+xml';

/**
 * Cache policy of files whose names do not change with their content: clients see an upgrade within
 * an hour.
 */
const FOR_AN_HOUR = 'public, max-age=3600';

/** Styles of the first paint, which needs no other file. */
const HEAD_STYLE = readFileSync(join(__dirname, 'docs', 'head.css'), 'utf8');

/** Content security policy. The page contains everything it needs and calls only this service. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${hash('sha256', HEAD_STYLE, 'base64')}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

const headOf = (title: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Datagrids</title>
    <link rel="icon" type="image/svg+xml" href="/docs/logo.svg" />
    <style>${HEAD_STYLE}</style>
  </head>
  <body>
    <header class="docs-header">
      <a class="docs-brand" href="/">
        <img src="/docs/logo.svg" alt="" width="24" height="24" />
        Datagrids
      </a>
      <a href="/docs">API reference</a>
      <a href="${GUIDES}">Guides</a>
      <span id="docs-caller" class="docs-caller" role="status"></span>
      <a id="docs-sign-in" href="/sign-in" hidden>Sign in</a>
    </header>
    <!-- The header is painted before these files have arrived. -->
`;

/** The page reads the document from its own route, which is prepared and tagged. */
const PAGE = `${headOf('API reference')}    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
    <div class="docs-body">
      <nav id="docs-sections" class="docs-sections" aria-label="Sections" hidden></nav>
      <div id="swagger-ui" data-api="/${PUBLIC_API}" data-console-api="/${CONSOLE_API}"></div>
    </div>
    <script src="/docs/page.js"></script>
    <script src="/docs/swagger-ui-bundle.js"></script>
  </body>
</html>
`;

/** Prints the page of a guide. It has no scripts. */
function guidePage(guides: Guides, { title, content }: Guide, url: string): string {
  const items = guides.links().map((link) => {
    const current = link.url === url ? ' aria-current="page"' : '';
    return `<li><a href="${link.url}"${current}>${guides.escaped(link.title)}</a></li>`;
  });
  return `${headOf(guides.escaped(title))}    <link rel="stylesheet" href="/docs/page.css" />
    <div class="docs-body">
      <nav class="docs-sections docs-guides" aria-label="Guides"><ul>${items.join('')}</ul></nav>
      <main class="docs-guide">${content}</main>
    </div>
  </body>
</html>
`;
}

type Load = () => Promise<Buffer>;

const packaged =
  (name: string): Load =>
  () =>
    readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name));

const own =
  (name: string): Load =>
  () =>
    readFile(join(__dirname, 'docs', name));

const PAGE_HEADERS = {
  'Content-Type': HTML,
  'Content-Security-Policy': PAGE_POLICY,
  'Cache-Control': 'no-cache',
};

/** All files below `/docs`, by name. */
const FILES = new Map<string, { readonly type: string; readonly load: Load }>([
  ['swagger-ui-bundle.js', { type: SCRIPT, load: packaged('swagger-ui-bundle.js') }],
  ['swagger-ui.css', { type: STYLE, load: packaged('swagger-ui.css') }],
  ['page.js', { type: SCRIPT, load: own('page.js') }],
  ['page.css', { type: STYLE, load: own('page.css') }],
  ['logo.svg', { type: IMAGE, load: own('logo.svg') }],
]);

/**
 * Swagger UI for the public API, and the guides. Reads and compresses each file once, on first use.
 */
@Injectable()
export class DocsPage {
  readonly page = FileResponse.prepared(PAGE, PAGE_HEADERS);
  private readonly guides = new Guides();
  private readonly preparedGuides = new Map<string, FileResponse>();
  private readonly prepared = new Map<string, Promise<FileResponse>>();

  /** @throws AppError `not_found` if no file has this name. */
  file(name: string): Promise<FileResponse> {
    const known = this.prepared.get(name);
    if (known) return known;
    const file = FILES.get(name);
    if (!file) throw notFound();
    const headers = { 'Content-Type': file.type, 'Cache-Control': FOR_AN_HOUR };
    const preparing = file.load().then((content) => FileResponse.prepared(content, headers));
    this.prepared.set(name, preparing);
    // The next request reads the file again.
    preparing.catch(() => this.prepared.delete(name));
    return preparing;
  }

  /**
   * @param name Path of the page in `docs` without `.md`, or nothing for the index.
   * @throws AppError `not_found` if there is no such guide.
   */
  guide(name: string): FileResponse {
    const known = this.preparedGuides.get(name);
    if (known) return known;
    const guide = this.guides.find(name);
    if (!guide) throw notFound();
    const url = name === '' ? GUIDES : `${GUIDES}/${name}`;
    const response = FileResponse.prepared(guidePage(this.guides, guide, url), PAGE_HEADERS);
    this.preparedGuides.set(name, response);
    return response;
  }
}

/** The API's description for people. */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
  constructor(private readonly docs: DocsPage) {}

  @Get()
  @Public('files')
  @AnyQuery()
  page(): FileResponse {
    return this.docs.page;
  }

  @Get('guides')
  @Public('files')
  @AnyQuery()
  index(): FileResponse {
    return this.docs.guide('');
  }

  @Get('guides/:name')
  @Public('files')
  @AnyQuery()
  guide(@FileName() name: string): FileResponse {
    return this.docs.guide(name);
  }

  @Get('guides/:folder/:name')
  @Public('files')
  @AnyQuery()
  guideIn(@FolderName() folder: string, @FileName() name: string): FileResponse {
    return this.docs.guide(`${folder}/${name}`);
  }

  @Get(':name')
  @Public('files')
  file(@FileName() name: string): Promise<FileResponse> {
    return this.docs.file(name);
  }
}
