import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { notFound } from '../../common/error/app-error';
import { Public, PUBLIC_API } from '../http/access';
import { FileName } from '../http/path-id';
import { PreparedResponse } from '../http/prepared-response';
import { AnyQuery } from '../http/query';

const TITLE = 'Datagrid platform: public API';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/**
 * Cache policy of files whose names do not change with their content: clients see an upgrade within
 * an hour.
 */
const FOR_AN_HOUR = 'public, max-age=3600';

/** Content security policy. The page contains everything it needs and calls only this service. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${TITLE}</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/index.css" />
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui-init.js"></script>
  </body>
</html>
`;

/**
 * Settings of Swagger UI. The page reads the document from its own route, which is prepared and
 * tagged.
 */
const OPTIONS = {
  dom_id: '#swagger-ui',
  url: `/${PUBLIC_API}/openapi.json`,
  deepLinking: true,
  displayRequestDuration: true,
  // Disables the badge, which would call an external validator.
  validatorUrl: null,
};
const INIT = `window.ui = SwaggerUIBundle(${JSON.stringify(OPTIONS)});\n`;

type Load = () => string | Promise<Buffer>;

const packaged =
  (name: string): Load =>
  () =>
    readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name));

/** All files below `/docs`, by name. */
const FILES = new Map<string, { readonly type: string; readonly load: Load }>([
  ['swagger-ui-init.js', { type: SCRIPT, load: () => INIT }],
  ['swagger-ui-bundle.js', { type: SCRIPT, load: packaged('swagger-ui-bundle.js') }],
  ['swagger-ui.css', { type: STYLE, load: packaged('swagger-ui.css') }],
  ['index.css', { type: STYLE, load: packaged('index.css') }],
  ['favicon-32x32.png', { type: 'image/png', load: packaged('favicon-32x32.png') }],
]);

/** Swagger UI for the public API. Reads and compresses each file once, on first use. */
@Injectable()
export class DocsPage {
  readonly page = new PreparedResponse(PAGE, {
    'Content-Type': HTML,
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-cache',
  });
  private readonly prepared = new Map<string, Promise<PreparedResponse>>();

  /** @throws AppError `not_found` if no file has this name. */
  file(name: string): Promise<PreparedResponse> {
    const known = this.prepared.get(name);
    if (known) return known;
    const file = FILES.get(name);
    if (!file) throw notFound();
    const headers = { 'Content-Type': file.type, 'Cache-Control': FOR_AN_HOUR };
    const preparing = Promise.resolve(file.load()).then(
      (content) => new PreparedResponse(content, headers),
    );
    this.prepared.set(name, preparing);
    // The next request reads the file again.
    preparing.catch(() => this.prepared.delete(name));
    return preparing;
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
  page(): PreparedResponse {
    return this.docs.page;
  }

  @Get(':name')
  @Public('files')
  file(@FileName() name: string): Promise<PreparedResponse> {
    return this.docs.file(name);
  }
}
