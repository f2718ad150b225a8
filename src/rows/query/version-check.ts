import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { NotModified } from '../../common/envelope/page';
import { notFound } from '../../common/error/app-error';
import { type RowVersion, RowVersionRepository } from './row-read.repository';

/** Avoids reading rows that the client already has. */
@Injectable()
export class VersionCheck {
  constructor(private readonly repository: RowVersionRepository) {}

  /**
   * Compares the tags that the client has with that of the current response.
   * @param ifNoneMatch `If-None-Match` of the request. Without it no statement runs.
   * @param etagOf Returns the ETag of the response at a version.
   * @returns `null` if the rows must be read.
   * @throws AppError `not_found` if the account has no such datagrid.
   */
  async notModified(
    accountId: string,
    datagridId: string,
    ifNoneMatch: IfNoneMatch | undefined,
    etagOf: (version: RowVersion) => string,
  ): Promise<NotModified | null> {
    if (ifNoneMatch === undefined) return null;
    const version = await this.repository.find(accountId, datagridId);
    if (!version) throw notFound('Datagrid');
    const etag = etagOf(version);
    return ifNoneMatch.find(etag) === undefined ? null : new NotModified(etag);
  }
}
