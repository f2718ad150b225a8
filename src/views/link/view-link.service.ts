import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import { notFound } from '../../common/error/app-error';
import { newId } from '../../common/text/id';
import { auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { readExpiry } from '../../auth/expiry';
import { linkBase } from '../../auth/link-base';
import { createSecretToken, hashSecretToken } from '../../auth/secret-token';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { publishableColumns, publishedColumns, selectionOf } from '../view-selection';
import { type ViewRecord, type ViewRef, ViewRepository } from '../view.repository';
import type { CreateViewLinkDto, ViewLinkDto, ViewLinkWithUrlDto } from './view-link.dto';
import type { ViewLinkEntity } from './view-link.entity';
import { ViewLinkRepository } from './view-link.repository';

const CURSOR_KEY_BYTES = 32;

/** Creates and revokes the public links of views. Each view has at most one. */
@Injectable()
export class ViewLinkService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly schemas: DatagridSchemaService,
    private readonly views: ViewRepository,
    private readonly repository: ViewLinkRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a link. An earlier link of the view stops working.
   * @param origin Origin at which the client reached the service.
   * @throws AppError `not_found`; `invalid_request`; `conflict` if the view does not fit the columns, or
   *   PUBLIC_URL is needed and not set.
   */
  async create(
    ref: ViewRef,
    { expiresAt }: CreateViewLinkDto,
    by: Caller,
    origin: string,
  ): Promise<ViewLinkWithUrlDto> {
    const base = linkBase(this.config, origin);
    const expiry = readExpiry(expiresAt);
    const { accountId, datagridId, id: viewId } = ref;
    const schema = await this.schemas.get(accountId, datagridId);
    const token = createSecretToken();
    const link = await this.database.transaction(async () => {
      await this.views.lock(datagridId, viewId);
      const view = await this.getView(ref);
      selectionOf(schema, view);
      await this.revokeOf(view, by);
      const created = {
        ...{ id: newId(), accountId, datagridId, viewId },
        tokenHash: hashSecretToken(token),
        cursorKey: randomBytes(CURSOR_KEY_BYTES),
        columnIds: publishableColumns(schema, view).map(({ id }) => id),
        createdBy: by.userId,
        createdAt: new Date(),
        expiresAt: expiry,
      };
      await this.repository.insert(created);
      const target = auditTarget('view', viewId, view.name);
      const details = { datagridId, expiresAt: expiry?.toISOString() ?? null };
      await this.audit.record(accountId, by, 'view_link_created', target, { details });
      return toDto(schema, view, { ...created, lastUsedAt: null });
    });
    return Object.assign(link, { url: `${base}/shared/${token}` });
  }

  /** @throws AppError `not_found` if the view has no link. */
  async get(ref: ViewRef): Promise<ViewLinkDto> {
    const { accountId, datagridId, id } = ref;
    const schema = await this.schemas.get(accountId, datagridId);
    const view = await this.getView(ref);
    const link = await this.repository.find(accountId, datagridId, id);
    if (!link) throw notFound('Link');
    return toDto(schema, view, link);
  }

  /**
   * Revokes a link. When this returns, no process accepts it: each request looks it up.
   * @throws AppError `not_found` if the view has no link.
   */
  async revoke(ref: ViewRef, by: Caller): Promise<void> {
    await this.database.transaction(async () => {
      await this.views.lock(ref.datagridId, ref.id);
      const view = await this.getView(ref);
      if (!(await this.revokeOf(view, by))) throw notFound('Link');
    });
  }

  /**
   * Revokes the link of a view of the caller's account, if it has one. Call in a transaction that has
   * locked the view.
   * @returns whether it had one.
   */
  async revokeOf({ datagridId, id, name }: ViewRecord, by: Caller): Promise<boolean> {
    const { accountId } = by;
    if (!(await this.repository.delete(accountId, datagridId, id))) return false;
    const target = auditTarget('view', id, name);
    const details = { datagridId };
    await this.audit.record(accountId, by, 'view_link_revoked', target, { details });
    return true;
  }

  private async getView({ accountId, datagridId, id }: ViewRef): Promise<ViewRecord> {
    const view = await this.views.find(accountId, datagridId, id);
    if (!view) throw notFound('View');
    return view;
  }
}

type ShownLink = Pick<
  ViewLinkEntity,
  'createdAt' | 'createdBy' | 'expiresAt' | 'lastUsedAt' | 'columnIds'
>;

function toDto(schema: DatagridSchema, view: ViewRecord, link: ShownLink): ViewLinkDto {
  return {
    createdAt: link.createdAt.toISOString(),
    createdBy: link.createdBy,
    expiresAt: link.expiresAt?.toISOString() ?? null,
    lastUsedAt: link.lastUsedAt?.toISOString() ?? null,
    columns: publishedColumns(schema, view, link.columnIds).map(({ key }) => key),
  };
}
