import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError, notFound } from '../../common/error/app-error';
import { FileResponse } from '../../platform/http/file-response';
import type { CountedResponse } from '../../platform/load/load';
import type { HtmlNotFound } from '../../platform/http/unknown-route.controller';
import { SHARED_HEADERS, SharedViewService } from '../../views/link/shared-view.service';
import { ConsoleFiles } from './console-files';

/** Placeholder in the built page. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const NONCE_BYTES = 16;

/** Cache policy of assets. Their names contain a hash of their content, so they never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Serves the console's page and its assets. */
@Injectable()
export class PageService implements HtmlNotFound {
  constructor(
    private readonly files: ConsoleFiles,
    private readonly views: SharedViewService,
  ) {}

  /**
   * Returns the HTML page, which is the same for all paths of the console.
   * @throws AppError `unavailable` if it has not been built.
   */
  page(): FileResponse {
    return this.withNonce(built(this.files.page), 200);
  }

  /**
   * Returns the HTML page of a public link, which reads the rows itself. Its status is 404 if the link
   * does not work.
   * @throws AppError `unavailable` if it has not been built; `rate_limited`.
   */
  async shared(token: string, response: Response & CountedResponse): Promise<FileResponse> {
    const page = built(this.files.sharedPage);
    const works = await this.views.works(token, response);
    return this.withNonce(page, works ? 200 : 404, SHARED_HEADERS);
  }

  /** Returns the same page with status 404. Its router shows that there is no such page. */
  notFoundPage(): FileResponse | null {
    const { page } = this.files;
    return page === null ? null : this.withNonce(page, 404);
  }

  private withNonce(
    page: string,
    status: number,
    more: Readonly<Record<string, string>> = {},
  ): FileResponse {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const identity = Buffer.from(page.replaceAll(NONCE_PLACEHOLDER, nonce));
    return new FileResponse(
      { identity },
      {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy(nonce),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cache-Control': 'no-store',
        ...more,
      },
      { status },
    );
  }

  /** @throws AppError `not_found` */
  asset(name: string): FileResponse {
    const asset = this.files.findAsset(name);
    if (!asset) throw notFound();
    const headers = { 'Content-Type': asset.type, 'Cache-Control': FOR_EVER };
    return new FileResponse(asset.forms, headers, { etag: asset.etag });
  }
}

/** @throws AppError `unavailable` if the page has not been built. */
function built(page: string | null): string {
  if (page !== null) return page;
  throw new AppError('unavailable', 'The console is not built. Run npm run console:build.');
}

/**
 * Allows resources from the same origin only. Style elements that components create carry the
 * nonce.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join(';');
}
