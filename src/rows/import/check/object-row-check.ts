import type { FieldError } from '../../../common/error/field-error';
import { JsonRefusedError } from '../../../common/json/json-refused-error';
import { readJson } from '../../../common/json/read-json';
import type { DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { checkValues } from '../../values/value-check';
import { RecordFault, type SourceRecord } from '../read/record';
import { refusedLine, type CheckedRow } from './checked-row';
import type { RowRules } from './row-rules';

const MOST_FIELD_LENGTH = 100;
const PATH = 'values';

/** Makes rows of lines of NDJSON, each an object of values by column key. */
export class ObjectRowCheck {
  constructor(
    private readonly schema: DatagridSchema,
    private readonly rules: RowRules,
  ) {}

  check(record: SourceRecord<Buffer>): CheckedRow {
    const { line, nextLine, content } = record;
    if (content instanceof RecordFault) return refusedLine(record, content);
    const values = readObject(content);
    if (values instanceof RecordFault) return refusedLine(record, values);
    const problems: FieldError[] = [];
    const checked = checkValues(this.schema, values, PATH, this.rules.areWhole, problems);
    if (!this.rules.areWhole) {
      const seen = new Set(problems.map(({ field }) => keyOf(field)));
      problems.push(...this.rules.missing(values).filter(({ field }) => !seen.has(field)));
    }
    if (problems.length > 0) {
      const named = problems.map((each) => ({ ...each, field: keyOf(each.field) }));
      return { line, nextLine, json: '', problems: named };
    }
    const cleared = this.rules.areWhole ? [] : checked.cleared.map((slot) => [slot, null]);
    const stored =
      cleared.length > 0
        ? { ...checked.bySlot, ...(Object.fromEntries(cleared) as object) }
        : checked.bySlot;
    return this.rules.finished(line, nextLine, JSON.stringify(stored));
  }
}

type Members = Readonly<Record<string, unknown>>;

function readObject(line: Buffer): Members | RecordFault {
  try {
    const value = readJson(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Members;
    }
    return new RecordFault('wrong_type', 'must be a JSON object of values by column key');
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    const place = error.field === undefined ? '' : `${error.field}: `;
    return new RecordFault(error.code, place + error.message.replace('The body', 'The line'));
  }
}

/** A column's key of a field `values.key`; what is sent may be long. */
function keyOf(field: string): string {
  const key = field.slice(PATH.length + 1);
  return key.length > MOST_FIELD_LENGTH ? `${key.slice(0, MOST_FIELD_LENGTH - 1)}…` : key;
}
