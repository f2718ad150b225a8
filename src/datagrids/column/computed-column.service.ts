import { Injectable } from '@nestjs/common';
import { AppError, conflict, type DetailCode, invalidField } from '../../common/error/app-error';
import type { Writer } from '../change-log/change-log-sql';
import { withOptionDefaults } from '../column-type/column-options';
import { isComputed, isLink } from '../column-type/column-type';
import type { ColumnOptions } from '../column-type/descriptor';
import type { ColumnRecord } from './column-record';
import { ColumnRepository } from './column.repository';
import { LinkTargetRepository } from '../link/link-target.repository';
import {
  ComputedColumnRepository,
  type ComputedRecord,
  type SourceColumn,
} from './computed-column.repository';

/**
 * Maximum number of datagrids that the lookups of a datagrid read, plus its counts: each is a statement
 * for each page.
 */
const MAX_SOURCES = 5;

/** A column, as far as it is computed. */
type Computed = Pick<ColumnRecord, 'type' | 'options'>;

/** Columns of one datagrid as JSON text, as the API returns them, except for the options. */
interface ColumnsText {
  readonly id: string;
  readonly columns: string;
}

/**
 * Definitions of computed columns. Clients name the columns that these read by key. They are stored by
 * id, so that they follow a column whose key changes, and not another one that gets its key.
 */
@Injectable()
export class ComputedColumnService {
  constructor(
    private readonly repository: ComputedColumnRepository,
    private readonly columns: ColumnRepository,
    private readonly targets: LinkTargetRepository,
  ) {}

  /**
   * Returns a new column with the options to store. A column that is not computed stays as it is.
   * @param column With options that are valid for the type.
   * @param path Path of the column in the body, with a dot at the end.
   * @param siblings The other columns of a datagrid that does not exist yet.
   * @throws AppError `invalid_request` if the options name columns that the column cannot read, or if
   *   the datagrid has too many computed columns; `forbidden` if the key has no access to the linked
   *   datagrid.
   */
  async resolve<T extends ColumnRecord>(
    writer: Writer,
    datagridId: string,
    column: T,
    path = '',
    siblings?: readonly ColumnRecord[],
  ): Promise<T> {
    if (!isComputed(column.type)) return column;
    const reject = (name: string, code: DetailCode, message: string): Error =>
      invalidField(`${path}options.${name}`, code, message);
    const { type, options } = column;
    const stored =
      type === 'lookup'
        ? await this.lookup(writer, datagridId, options, reject, siblings)
        : await this.count(writer, datagridId, options, reject, siblings !== undefined);
    const others = siblings ?? (await this.repository.list(datagridId));
    this.rejectExcess([...others.filter(isResolved), { type, options: stored }], path);
    return { ...column, options: stored };
  }

  /** @throws AppError `invalid_request` if a restored column would exceed the limit of a datagrid. */
  async rejectRestored(datagridId: string, column: Computed): Promise<void> {
    if (!isComputed(column.type)) return;
    this.rejectExcess([...(await this.repository.list(datagridId)), column], '');
  }

  /** Records a change of the computed columns of a datagrid. Call it under its lock, once per change. */
  async mark(datagridId: string, { type }: Computed): Promise<void> {
    if (isComputed(type)) await this.repository.mark(datagridId);
  }

  /**
   * Rejects the removal of a column that computed columns of the same datagrid read.
   * @throws AppError `conflict` that names one of them.
   */
  async rejectUsed(datagridId: string, { id, type }: ColumnRecord): Promise<void> {
    if (isComputed(type)) return;
    const computed = await this.repository.list(datagridId);
    const user = computed.find(({ options: { linkId, columnId, datagridId: source } }) => {
      return linkId === id || (source === datagridId && columnId === id);
    });
    if (!user) return;
    throw conflict(`Column ${user.key} is computed from this column. Remove it first.`);
  }

  /** Returns a column with the options that clients see. */
  async shown<T extends ColumnRecord>(
    accountId: string,
    datagridId: string,
    column: T,
  ): Promise<T> {
    const [shown = column] = await this.allShown(accountId, datagridId, [column]);
    return shown;
  }

  /** Returns a column with its options as a client sends them. They are valid, also of a broken column. */
  async asSent<T extends ColumnRecord>(
    accountId: string,
    datagridId: string,
    column: T,
  ): Promise<T> {
    const { type } = column;
    if (!isComputed(type)) return column;
    const { options } = await this.shown(accountId, datagridId, column);
    const keys = { ...(type === 'lookup' && { link: 'removed' }), column: 'removed' };
    return { ...column, options: withOptionDefaults(type, { ...keys, ...options }) };
  }

  /** Like `shown`, for columns of one datagrid. */
  async allShown<T extends Computed>(
    accountId: string,
    datagridId: string,
    columns: readonly T[],
  ): Promise<T[]> {
    if (!columns.some(({ type }) => isComputed(type))) return [...columns];
    const optionsOf = await this.sourcesOf(accountId, [{ datagridId, columns }]);
    return columns.map((column) =>
      isComputed(column.type) ? { ...column, options: optionsOf(datagridId, column) } : column,
    );
  }

  /**
   * Replaces the options of computed columns in the texts of columns. If no text has a computed column,
   * it runs no statement.
   */
  async withShownOptions<T extends ColumnsText>(
    accountId: string,
    datagrids: readonly T[],
  ): Promise<T[]> {
    const found = datagrids.map(({ id, columns }) => ({
      datagridId: id,
      columns: [...columns.matchAll(COMPUTED_TEXT)].map(textColumn),
    }));
    if (found.every(({ columns }) => columns.length === 0)) return [...datagrids];
    const optionsOf = await this.sourcesOf(accountId, found);
    return datagrids.map((datagrid) => ({
      ...datagrid,
      columns: datagrid.columns.replaceAll(COMPUTED_TEXT, (...match) => {
        const column = textColumn(match);
        return `${String(match[1])}${JSON.stringify(optionsOf(datagrid.id, column))}`;
      }),
    }));
  }

  private async lookup(
    { accountId, onlyDatagridIds }: Writer,
    datagridId: string,
    { link: linkKey = '', column: key = '' }: ColumnOptions,
    reject: (name: string, code: DetailCode, message: string) => Error,
    siblings: readonly ColumnRecord[] | undefined,
  ): Promise<ColumnOptions> {
    const link = siblings
      ? siblings.find((sibling) => sibling.key === linkKey)
      : await this.columns.findShown(accountId, datagridId, linkKey);
    const targetId = link?.options.datagridId;
    if (!link) throw reject('link', 'unknown_column', 'is not a column of this datagrid');
    if (!isLink(link.type) || targetId === undefined) {
      throw reject('link', 'wrong_type', 'must be the key of a link or multiLink column');
    }
    if (onlyDatagridIds && !onlyDatagridIds.includes(targetId)) throw noAccess(linkKey);
    const column = await this.columns.findShown(accountId, targetId, key);
    if (!column) throw reject('column', 'unknown_column', 'is not a column of the linked datagrid');
    if (isComputed(column.type)) throw reject('column', 'incompatible_parameters', COMPUTED_SOURCE);
    return { linkId: link.id, datagridId: targetId, columnId: column.id };
  }

  private async count(
    { accountId, onlyDatagridIds }: Writer,
    datagridId: string,
    { datagridId: sourceId = '', column: key = '' }: ColumnOptions,
    reject: (name: string, code: DetailCode, message: string) => Error,
    isNew: boolean,
  ): Promise<ColumnOptions> {
    if (isNew) {
      const message = 'no rows link to a new datagrid; add the column after you have linked to it';
      throw reject('datagridId', 'incompatible_parameters', message);
    }
    const places = await this.targets.listPlaces(accountId, [sourceId, datagridId]);
    const source = places.find(({ id }) => id === sourceId);
    const home = places.find(({ id }) => id === datagridId);
    const isHidden = onlyDatagridIds && !onlyDatagridIds.includes(sourceId);
    if (source?.workspaceId !== home?.workspaceId || source?.isTrashed !== false || isHidden) {
      const message = 'is not the id of a datagrid in this workspace';
      throw reject('datagridId', 'unknown_datagrid', message);
    }
    const column = await this.columns.findShown(accountId, sourceId, key);
    if (!column) throw reject('column', 'unknown_column', 'is not a column of that datagrid');
    if (!isLink(column.type) || column.options.datagridId !== datagridId) {
      throw reject('column', 'incompatible_parameters', NO_LINK);
    }
    return { datagridId: sourceId, columnId: column.id };
  }

  private rejectExcess(columns: readonly Computed[], path: string): void {
    const lookups = columns.filter(({ type }) => type === 'lookup');
    const linked = new Set(lookups.map(({ options }) => options.datagridId));
    const counts = columns.filter(({ type }) => type === 'count').length;
    if (linked.size + counts <= MAX_SOURCES) return;
    const message = `exceeds the maximum of ${String(MAX_SOURCES)} for the datagrids that lookups read plus the counts`;
    throw invalidField(`${path}type`, 'too_many', message);
  }

  /** Returns a function that returns the options of a column that clients see. */
  private async sourcesOf(
    accountId: string,
    datagrids: readonly { readonly datagridId: string; readonly columns: readonly Computed[] }[],
  ): Promise<(datagridId: string, column: Computed) => ColumnOptions> {
    const all = datagrids.flatMap(({ columns }) => columns.map(({ options }) => options));
    const datagridIds = [
      ...datagrids.map(({ datagridId }) => datagridId),
      ...all.flatMap(({ datagridId }) => datagridId ?? []),
    ];
    const ids = all.flatMap(({ linkId, columnId }) => [linkId ?? [], columnId ?? []].flat());
    const found = await this.repository.findSources(
      accountId,
      [...new Set(datagridIds)],
      [...new Set(ids)],
    );
    const sources = new Map(found.map((each) => [`${each.datagridId} ${String(each.id)}`, each]));
    const find = (datagridId = '', id = 0): SourceColumn | undefined =>
      sources.get(`${datagridId} ${String(id)}`);
    return (datagridId, { type, options: { linkId, columnId, datagridId: sourceId } }) => {
      const link = find(datagridId, linkId);
      const column = find(sourceId, columnId);
      const leadsHere = type === 'lookup' ? link : column;
      const isWhole =
        column?.isPresent === true &&
        leadsHere?.isPresent === true &&
        isLink(leadsHere.type) &&
        leadsHere.targetId === (type === 'lookup' ? sourceId : datagridId);
      return {
        ...(type === 'count' && sourceId !== undefined && { datagridId: sourceId }),
        ...(link && { link: link.key }),
        ...(column && { column: column.key }),
        ...(!isWhole && { broken: true }),
      };
    };
  }
}

const COMPUTED_SOURCE = 'must be a column with stored values, not a lookup or a count';
const NO_LINK = 'must be a link or multiLink column that links to this datagrid';

function noAccess(key: string): AppError {
  const message = `This API key has no access to the datagrid that column ${key} links to.`;
  return new AppError('forbidden', message);
}

/** Whether a column is computed, with options to store. The other columns of a body have keys. */
function isResolved({ type, options }: Computed | ComputedRecord): boolean {
  return isComputed(type) && options.columnId !== undefined;
}

/**
 * A computed column in the text of columns, as `COLUMNS_AGGREGATE` prints it. Its options have only
 * numbers and ids. Within JSON strings, quotes are escaped.
 */
const COMPUTED_TEXT =
  /("type":"(lookup|count)","required":false,"unique":false,"indexed":false,"options":)(\{[^{}]*\})/g;

function textColumn([, , type, options = '{}']: readonly (string | undefined)[]): Computed {
  const computed = type === 'lookup' ? 'lookup' : 'count';
  return { type: computed, options: JSON.parse(options) as ColumnOptions };
}
