import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-none-match';
import { NotModified } from '../../common/envelope/not-modified';
import { notFound } from '../../common/error/app-error';
import { RowVersionRepository, type RowVersion } from './row-version.repository';

/** Spares reading rows that the client has already. */
@Injectable()
export class VersionCheck {
  constructor(private readonly repository: RowVersionRepository) {}

  /**
   * @param knownTags The request's `If-None-Match`; without it nothing is asked.
   * @param etagOf The tag that the answer would have at a version.
   * @returns `null` where the rows have to be read.
   * @throws AppError `not_found` where the account has no such datagrid.
   */
  async notModified(
    accountId: string,
    datagridId: string,
    knownTags: IfNoneMatch | undefined,
    etagOf: (version: RowVersion) => string,
  ): Promise<NotModified | null> {
    if (knownTags === undefined) return null;
    const version = await this.repository.find(accountId, datagridId);
    if (!version) throw notFound('Datagrid');
    const etag = etagOf(version);
    return knownTags.find(etag) === undefined ? null : new NotModified(etag);
  }
}
