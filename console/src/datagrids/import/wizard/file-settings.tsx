import { Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Encoding } from '../../../../../src/imports/read/body-text';
import { DELIMITER_NAMES } from '../../../../../src/rows/values/delimiter';
import { importText } from '../../../text/import-text';
import type { ImportPlan } from '../plan/plan';
import type { FileFormat } from '../read/record';
import type { DateOrder } from '../values/read-date';
import type { DecimalMark } from '../values/read-number';

const t = importText.settings;

export interface FileSettingsProps {
  readonly plan: ImportPlan;
  /** Reads the file again. */
  readonly onFormat: (format: FileFormat) => void;
  readonly onPlan: (plan: ImportPlan) => void;
}

const DELIMITERS = DELIMITER_NAMES.map((value) => ({ value, label: t.delimiters[value] }));
const ENCODINGS: readonly { readonly value: Encoding; readonly label: string }[] = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'windows-1252', label: 'Windows-1252' },
  { value: 'utf-16le', label: 'UTF-16 LE' },
  { value: 'utf-16be', label: 'UTF-16 BE' },
];
const MARKS: readonly { readonly value: DecimalMark; readonly label: string }[] = [
  { value: '.', label: '1,234.5' },
  { value: ',', label: '1.234,5' },
];
const ORDERS: readonly { readonly value: DateOrder; readonly label: string }[] = [
  { value: 'dmy', label: t.dateOrders.dmy },
  { value: 'mdy', label: t.dateOrders.mdy },
];

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  /** What can be read in two ways. The user must choose. */
  readonly ambiguous?: string | false | undefined;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>(props: ChoiceProps<T>): ReactNode {
  const { label, value, choices, ambiguous, onChoose } = props;
  const isOpen = typeof ambiguous === 'string';
  return (
    <NativeSelect
      label={label}
      value={isOpen ? '' : value}
      error={ambiguous}
      data={isOpen ? [{ value: '', label: t.choose }, ...choices] : [...choices]}
      onChange={({ currentTarget }) => {
        const chosen = choices.find((one) => one.value === currentTarget.value);
        if (chosen) onChoose(chosen.value);
      }}
    />
  );
}

/** How the file is written. Everything is recognized, and can be changed. */
export function FileSettings({ plan, onFormat, onPlan }: FileSettingsProps): ReactNode {
  const { format, formats, ambiguous } = plan;
  return (
    <Group align="flex-start" gap="md">
      {format.kind === 'csv' && (
        <>
          <Choice
            label={t.delimiter}
            value={format.delimiter}
            choices={DELIMITERS}
            ambiguous={format.isAmbiguous && t.ambiguousDelimiter}
            onChoose={(delimiter) => {
              const { isAmbiguous: _none, ...others } = format;
              onFormat({ ...others, delimiter });
            }}
          />
          <Choice
            label={t.encoding}
            value={format.encoding}
            choices={ENCODINGS}
            onChoose={(encoding) => {
              onFormat({ ...format, encoding });
            }}
          />
        </>
      )}
      {format.kind === 'xlsx' && format.sheets.length > 1 && (
        <Choice
          label={t.sheet}
          value={format.sheet}
          choices={format.sheets.map((name) => ({ value: name, label: name }))}
          onChoose={(sheet) => {
            onFormat({ ...format, sheet });
          }}
        />
      )}
      {format.kind !== 'json' && (
        <Choice
          label={t.firstRow}
          value={format.hasHeader ? 'names' : 'values'}
          choices={[
            { value: 'names', label: t.firstRows.names },
            { value: 'values', label: t.firstRows.values },
          ]}
          onChoose={(first) => {
            onFormat({ ...format, hasHeader: first === 'names' });
          }}
        />
      )}
      {format.kind === 'csv' && (
        <Choice
          label={t.numbers}
          value={formats.mark}
          choices={MARKS}
          ambiguous={ambiguous.number !== undefined && t.ambiguous(ambiguous.number)}
          onChoose={(mark) => {
            const { date } = ambiguous;
            const formatsNow = { ...formats, mark };
            onPlan({ ...plan, formats: formatsNow, ambiguous: date === undefined ? {} : { date } });
          }}
        />
      )}
      <Choice
        label={t.dates}
        value={formats.order}
        choices={ORDERS}
        ambiguous={ambiguous.date !== undefined && t.ambiguous(ambiguous.date)}
        onChoose={(order) => {
          const { number } = ambiguous;
          const formatsNow = { ...formats, order };
          onPlan({
            ...plan,
            formats: formatsNow,
            ambiguous: number === undefined ? {} : { number },
          });
        }}
      />
    </Group>
  );
}
