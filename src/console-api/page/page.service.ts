import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../../common/error/app-error';
import { FileResponse } from '../../platform/http/file-response';
import type { HtmlNotFound } from '../../platform/http/unknown-route.controller';
import { ConsoleFiles } from './console-files';

/** Placeholder in the built page. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const NONCE_BYTES = 16;

/** Cache policy of assets. Their names contain a hash of their content, so they never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Serves the console's page and its assets. */
@Injectable()
export class PageService implements HtmlNotFound {
  constructor(private readonly files: ConsoleFiles) {}

  /**
   * Returns the HTML page, which is the same for all paths of the console.
   * @throws AppError `unavailable` if it has not been built.
   */
  page(): FileResponse {
    const { page } = this.files;
    if (page === null) {
      throw new AppError('unavailable', 'The console is not built. Run npm run console:build.');
    }
    return this.withNonce(page, 200);
  }

  /** Returns the same page with status 404. Its router shows that there is no such page. */
  notFoundPage(): FileResponse | null {
    const { page } = this.files;
    return page === null ? null : this.withNonce(page, 404);
  }

  private withNonce(page: string, status: number): FileResponse {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const identity = Buffer.from(page.replaceAll(NONCE_PLACEHOLDER, nonce));
    return new FileResponse(
      { identity },
      {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy(nonce),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cache-Control': 'no-store',
      },
      undefined,
      status,
    );
  }

  /** @throws AppError `not_found` */
  asset(name: string): FileResponse {
    const asset = this.files.findAsset(name);
    if (!asset) throw notFound();
    const headers = { 'Content-Type': asset.type, 'Cache-Control': FOR_EVER };
    return new FileResponse(asset.forms, headers, asset.etag);
  }
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
