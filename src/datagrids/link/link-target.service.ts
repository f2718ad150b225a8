import { Injectable } from '@nestjs/common';
import { conflict, invalidField, invalidRequest } from '../../common/error/app-error';
import { isUuid } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import type { Author, Writer } from '../change-log/change-log-sql';
import { type ColumnType, isLink } from '../column-type/column-type';
import type { ColumnOptions } from '../column-type/descriptor';
import { LinkTargetRepository } from './link-target.repository';

/** Maximum number of datagrids that link to one, which bounds the locks of a deletion. */
const MAX_SOURCES = 100;

/** A new column that may link to a datagrid. */
interface NewLink {
  readonly type: ColumnType;
  readonly options?: ColumnOptions;
}

/**
 * Datagrids that columns link to. A link column is added under the locks of both datagrids, taken in
 * the order of their ids. Then every deletion of rows of the target knows the column.
 */
@Injectable()
export class LinkTargetService {
  constructor(
    private readonly database: Database,
    private readonly repository: LinkTargetRepository,
  ) {}

  /**
   * Runs a change that adds columns to a datagrid, under the locks of the datagrids that they link to.
   * @param workspaceId Workspace of a datagrid that does not exist yet; `null` for one that does.
   * @param pathOf Path of a column in the body, with a dot at the end.
   * @throws AppError `invalid_request` if a column links to a datagrid that is not in the workspace, or
   *   to which the caller has no access.
   */
  async underLocks<T>(
    writer: Writer,
    datagridId: string,
    workspaceId: string | null,
    columns: readonly NewLink[],
    work: () => Promise<T>,
    pathOf = (index: number): string => `columns.${String(index)}.`,
  ): Promise<T> {
    const targets = [...new Set(columns.flatMap(targetOf))];
    if (targets.length === 0) return work();
    return this.database.transaction(async () => {
      const ids = [...new Set([...targets, datagridId])].sort();
      await this.repository.hold(writer.accountId, ids);
      for (const id of ids) await this.repository.lock(id);
      const places = await this.repository.listPlaces(writer.accountId, ids);
      const home = workspaceId ?? places.find(({ id }) => id === datagridId)?.workspaceId;
      const only = writer.onlyDatagridIds;
      const known = new Set(
        places
          .filter((place) => place.workspaceId === home && !place.isTrashed)
          .filter(({ id }) => !only || only.includes(id))
          .map(({ id }) => id),
      );
      const wrong = columns.flatMap((column, index) => {
        const isWrong = targetOf(column).some((id) => !known.has(id));
        const field = `${pathOf(index)}options.datagridId`;
        return isWrong ? [{ field, code: 'unknown_datagrid', message: UNKNOWN } as const] : [];
      });
      // If the datagrid itself does not exist, the work says so.
      if (wrong.length > 0 && home !== undefined) throw invalidRequest(wrong);
      const result = await work();
      for (const id of targets) await this.attach(id, datagridId);
      return result;
    });
  }

  /**
   * Rejects a datagrid that others link to. Call it with the lock of the datagrid.
   * @throws AppError `conflict`. It names the other datagrid only to callers with access to it.
   */
  async rejectLinked(id: string, { onlyDatagridIds }: Author): Promise<void> {
    for (const sourceId of await this.repository.listSources(id)) {
      const links = await this.repository.listLinks(sourceId, false);
      const link = links.find(({ targetId }) => targetId === id);
      if (!link) continue;
      if (onlyDatagridIds && !onlyDatagridIds.includes(sourceId)) {
        throw conflict('A column of another datagrid links to this datagrid.');
      }
      throw conflict(
        `Column ${link.key} of datagrid ${sourceId} links to this datagrid. Remove the column first.`,
      );
    }
  }

  /**
   * Checks the links of a datagrid that is restored. Columns that link to a purged datagrid become
   * columns of numbers, or of JSON. Call it before the datagrid is restored.
   * @throws AppError `conflict` if a column links to a datagrid in the trash.
   */
  async prepareRestore(accountId: string, id: string): Promise<void> {
    const links = await this.repository.listLinks(id, true);
    const targets = [...new Set(links.map(({ targetId }) => targetId))].filter((it) => it !== id);
    if (targets.length === 0) return;
    const ids = [...targets, id].sort();
    await this.repository.hold(accountId, ids);
    for (const each of ids) await this.repository.lock(each);
    const places = await this.repository.listPlaces(accountId, targets);
    const trashed = places.find(({ isTrashed }) => isTrashed);
    if (trashed) {
      const { key = '' } = links.find(({ targetId }) => targetId === trashed.id) ?? {};
      throw conflict(
        `Column ${key} links to datagrid ${trashed.id}, which is in the trash. Restore that first.`,
      );
    }
    const kept = new Set(places.map((place) => place.id));
    const purged = targets.filter((target) => !kept.has(target));
    if (purged.length > 0) await this.repository.unlink(id, purged);
  }

  private async attach(id: string, sourceId: string): Promise<void> {
    if ((await this.repository.countOthers(id, sourceId)) >= MAX_SOURCES) {
      const message = `already has links of ${String(MAX_SOURCES)} datagrids`;
      throw invalidField('options.datagridId', 'too_many', message);
    }
    await this.repository.attach(id, sourceId);
  }
}

const UNKNOWN = 'is not the id of a datagrid in this workspace';

/** Returns the datagrid that a column links to. A malformed id is rejected with the other options. */
function targetOf({ type, options }: NewLink): string[] {
  const id: unknown = options?.datagridId;
  return isLink(type) && typeof id === 'string' && isUuid(id) ? [id.toLowerCase()] : [];
}
