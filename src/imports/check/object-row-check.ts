import type { FieldError } from '../../common/error/app-error';
import { JsonRejectedError } from '../../common/json/json-error';
import { shorten } from '../../common/text/id';
import { parseJson } from '../../common/json/parse-json';
import { readJson } from '../../common/json/read-json';
import type { ValueCheck } from '../../datagrids/column-type/descriptor';
import { repeatedByPreviousKey } from '../../datagrids/column/previous-key';
import {
  type DatagridSchema,
  type DefaultedColumn,
  findColumn,
  namedKey,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { RecordFault, type SourceRecord } from '../../common/encoding/utf8-text';
import {
  type CheckedRow,
  MAX_RECORD_PROBLEMS,
  MAX_RECORD_VALUES,
  printDefaults,
  printJson,
  type RecordCheck,
  rejectedLine,
  type RowRules,
} from './row-rules';

const MAX_FIELD_LENGTH = 100;

interface MemberCheck {
  /** The name of the stored member and a colon, as JSON. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: ValueCheck;
  readonly column: SchemaColumn;
  isUsed: boolean;
}

/** Converts lines of NDJSON to rows. Each line is an object of values by column key. */
export class ObjectRowCheck implements RecordCheck<Buffer> {
  private readonly members: ReadonlyMap<string, MemberCheck>;
  /** Members by the keys that their columns had before. */
  private readonly previous: ReadonlyMap<string, MemberCheck>;
  private readonly needed: readonly SchemaColumn[];
  private readonly computed: DatagridSchema['computed'];

  constructor(
    schema: DatagridSchema,
    private readonly rules: RowRules,
    /** Called with a column before its first value is accepted. */
    private readonly onUse: (column: SchemaColumn) => void,
    /** Maximum number of members. The parser stops at a long line with more. */
    private readonly maxMembers: number,
    /** Columns that get their default values in lines that do not name them. */
    private readonly defaulted: readonly DefaultedColumn[] = [],
  ) {
    this.computed = schema.computed;
    const all = [...schema.columns.values()];
    const members = all.map((column): [string, MemberCheck] => {
      const name = `${JSON.stringify(column.slot)}:`;
      const isRequired = rules.needs(column);
      const { check } = rules.formOf(column);
      return [column.key, { name, isRequired, check, column, isUsed: false }];
    });
    this.members = new Map(members);
    this.previous = new Map(
      [...schema.previous.keys()].flatMap((key) => {
        const member = this.members.get(findColumn(schema, key)?.key ?? '');
        return member ? [[key, member]] : [];
      }),
    );
    this.needed = all.filter((column) => rules.mustName(column));
  }

  check(record: SourceRecord<Buffer>): CheckedRow {
    const { content } = record;
    if (content instanceof RecordFault) return rejectedLine(record, content);
    return this.checkValues(record, readObject(content));
  }

  *checkInSlices(
    record: SourceRecord<Buffer>,
    isDue: () => boolean,
  ): Generator<undefined, CheckedRow> {
    const { content } = record;
    if (content instanceof RecordFault) return rejectedLine(record, content);
    const values = yield* readLongObject(content, this.maxMembers, isDue);
    // The remaining checks run in their own slice.
    yield;
    return this.checkValues(record, values);
  }

  private checkValues(record: SourceRecord<Buffer>, values: Members | RecordFault): CheckedRow {
    if (values instanceof RecordFault) return rejectedLine(record, values);
    const { line, nextLine } = record;
    const problems: FieldError[] = [];
    let json = '';
    for (const key of Object.keys(values)) {
      if (problems.length >= MAX_RECORD_PROBLEMS) break;
      const printed = this.print(key, values, problems);
      if (printed !== '') json += (json === '' ? '' : ',') + printed;
    }
    if (this.defaulted.length > 0) {
      const absent = this.defaulted.filter((column) => namedKey(values, column) === undefined);
      if (absent.length > 0) json += (json === '' ? '' : ',') + printDefaults(absent);
    }
    for (const column of this.needed) {
      if (namedKey(values, column) === undefined) problems.push(missing(column.key));
    }
    if (problems.length > 0) return { line, nextLine, json: '', problems };
    return this.rules.finished(line, nextLine, `{${json}}`);
  }

  /** Prints a member in stored form; '' for no member. Adds errors to `problems`. */
  private print(key: string, values: Members, problems: FieldError[]): string {
    const value = values[key];
    const member = this.members.get(key) ?? this.previous.get(key);
    if (!member) {
      const field = shorten(key, MAX_FIELD_LENGTH);
      problems.push(
        this.computed.has(key)
          ? { field, code: 'read_only', message: 'is computed; leave it out' }
          : { field, code: 'unknown_column', message: 'is not a column of this datagrid' },
      );
      return '';
    }
    const name = key === member.column.key ? key : namedKey(values, member.column);
    if (name !== undefined && name !== key) {
      problems.push(repeatedByPreviousKey(key, name));
      return '';
    }
    if (member.column.isReadOnly) {
      if (value !== null && !this.rules.ignoresReadOnly) problems.push(readOnlyField(key));
      return '';
    }
    if (!member.isUsed) {
      this.onUse(member.column);
      member.isUsed = true;
    }
    if (value === null) {
      if (member.isRequired) problems.push(missing(key));
      return this.rules.noValue && member.name + this.rules.noValue;
    }
    const checked = member.check(value);
    if (checked.ok) return member.name + printJson(checked.value);
    problems.push({ field: key, code: checked.code, message: checked.message });
    return '';
  }
}

type Members = Readonly<Record<string, unknown>>;

function readObject(line: Buffer): Members | RecordFault {
  try {
    return membersOf(readJson(line));
  } catch (error) {
    return faultOf(error);
  }
}

function* readLongObject(
  line: Buffer,
  maxTopMembers: number,
  isDue: () => boolean,
): Generator<undefined, Members | RecordFault> {
  try {
    const bounds = { maxValues: MAX_RECORD_VALUES, maxTopMembers, isDue };
    const { value } = yield* parseJson(line, bounds);
    return membersOf(value);
  } catch (error) {
    return faultOf(error);
  }
}

function membersOf(value: unknown): Members | RecordFault {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  return new RecordFault('wrong_type', 'must be a JSON object of values by column key');
}

/** @throws the error itself if it is not a JsonRejectedError */
function faultOf(error: unknown): RecordFault {
  if (!(error instanceof JsonRejectedError)) throw error;
  const prefix = error.field === undefined ? '' : `${error.field}: `;
  return new RecordFault(
    error.code,
    prefix + error.message.replace(/\b([Tt]he) body\b/, '$1 line'),
  );
}

function readOnlyField(field: string): FieldError {
  const message = 'is set by the service; leave it out, or send ignoreReadOnly=true';
  return { field, code: 'read_only', message };
}

function missing(field: string): FieldError {
  return { field, code: 'required', message: 'must have a value' };
}
