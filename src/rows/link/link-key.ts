import { invalidField } from '../../common/error/app-error';
import { COLUMN_KEY } from '../../datagrids/column-type/column-options';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import {
  type DatagridSchema,
  findColumn,
  type LinkColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import type { Parameter } from '../../platform/http/query';
import { type Reader, requireLinkAccess } from './link-access';

/** Maximum number of link columns that a file can have with keys in place of ids. */
export const MAX_LINK_KEYS = 5;

const KEY_PATTERN = COLUMN_KEY.source.slice(1, -1);
const PATH_PATTERN = `${KEY_PATTERN}\\.${KEY_PATTERN}`;

/** Query parameter of imports and exports. */
export const LINK_KEYS_PARAMETER: Parameter = {
  name: 'linkKeys',
  required: false,
  description:
    'Up to five link columns whose values in the file are values of a unique column of the linked rows, in place of IDs: paths such as `airline.iata`, separated by commas.',
  schema: {
    type: 'string',
    pattern: `^${PATH_PATTERN}(,${PATH_PATTERN}){0,${String(MAX_LINK_KEYS - 1)}}$`,
    maxLength: MAX_LINK_KEYS * (2 * MAX_KEY_LENGTH + 2) - 1,
  },
};

/** A link column whose values in a file are values of a unique column of the linked rows. */
export interface LinkKey {
  readonly column: LinkColumn;
  /** Column of the linked datagrid. */
  readonly target: SchemaColumn;
  /** Whether the rows link to rows of their own datagrid. */
  readonly isOwn: boolean;
}

/** The schemas of the datagrids of an account. */
interface Schemas {
  get(accountId: string, datagridId: string): Promise<DatagridSchema>;
}

/**
 * Reads the parameter `linkKeys`, such as `airline.iata,crew.code`.
 * @param schema Columns of the datagrid with the links.
 * @param needsValue Whether every linked row must have a key, so that no link is lost.
 * @throws AppError `invalid_request`, `forbidden` if the key has no access to a linked datagrid, or
 *   `not_found` if it is in the trash.
 */
export async function readLinkKeys(
  text: unknown,
  reader: Reader,
  schema: DatagridSchema,
  schemas: Schemas,
  needsValue: boolean,
): Promise<LinkKey[]> {
  if (text === undefined) return [];
  if (typeof text !== 'string') {
    throw invalidField('linkKeys', 'duplicate_parameter', 'must be given at most once');
  }
  const paths = text.split(',', MAX_LINK_KEYS + 1);
  if (paths.length > MAX_LINK_KEYS) {
    const message = `must not name more than ${String(MAX_LINK_KEYS)} link columns`;
    throw invalidField('linkKeys', 'too_many', message);
  }
  const found: LinkKey[] = [];
  for (const path of paths) {
    const [key = '', targetKey = '', ...others] = path.split('.', 3);
    if (targetKey === '' || others.length > 0) {
      const message =
        'must name a link column and a column of its datagrid, such as airline.iata, separated by commas';
      throw invalidField('linkKeys', 'invalid_format', message);
    }
    const id = findColumn(schema, key)?.id;
    const column = schema.links.find((link) => link.id === id);
    if (!column) {
      throw id === undefined
        ? invalidField('linkKeys', 'unknown_column', `unknown column ${quoted(key)}`)
        : invalidField('linkKeys', 'wrong_type', `column ${quoted(key)} does not link to rows`);
    }
    if (found.some((other) => other.column.id === id)) {
      throw invalidField('linkKeys', 'duplicate_column', 'must not name a column twice');
    }
    requireLinkAccess(reader, column);
    const linked = await schemas.get(reader.accountId, column.options.datagridId);
    const target = findColumn(linked, targetKey);
    if (!target) {
      const message = `unknown column ${quoted(targetKey)} of the linked datagrid`;
      throw invalidField('linkKeys', 'unknown_column', message);
    }
    if (!target.unique) {
      const message = `column ${quoted(targetKey)} of the linked datagrid is not unique`;
      throw invalidField('linkKeys', 'not_unique', message);
    }
    if (needsValue && !target.required) {
      const message = `column ${quoted(targetKey)} of the linked datagrid is not required, so that links to rows without a value would be lost; make it required, or export IDs`;
      throw invalidField('linkKeys', 'incompatible_parameters', message);
    }
    found.push({ column, target, isOwn: linked.datagridId === schema.datagridId });
  }
  return found;
}

const quoted = (key: string): string => JSON.stringify(key.slice(0, 63));
