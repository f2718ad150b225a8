import { Group, NativeSelect, Table, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Parts } from '../../../common/parts';
import { importText } from '../../../text/import-text';
import { linksText } from '../../../text/links-text';
import { CHANGEABLE_TYPES, COLUMN_TYPES, isReadOnly } from '../../column-type';
import { ColumnTypeIcon } from '../../column-type-icon';
import type { Column } from '../../datagrid';
import { DatagridLink } from '../../datagrid-link';
import { readCell } from '../plan/convert-row';
import { writtenColumns, type ImportPlan, type PlannedColumn } from '../plan/plan';
import type { Sample } from '../read/source';
import type { SourceRecord } from '../read/record';

const t = importText.preview;

/** Number of rows in the preview. */
const PREVIEW_ROWS = 20;
/** A new column has no choices yet. */
const NEW_TYPES = CHANGEABLE_TYPES.filter((type) => !COLUMN_TYPES[type].hasChoices);

export interface PreviewTableProps {
  readonly sample: Sample;
  readonly plan: ImportPlan;
  readonly existing: readonly Column[];
  readonly mayCreate: boolean;
  readonly onPlan: (plan: ImportPlan) => void;
}

/** The first rows of a file as they will be stored, and where each column goes. */
export function PreviewTable(props: PreviewTableProps): ReactNode {
  const { sample, plan, existing, mayCreate, onPlan } = props;
  const written = new Map(writtenColumns(plan, existing).map((one) => [one.at, one.column]));
  const change = (at: number, column: PlannedColumn): void => {
    onPlan({ ...plan, columns: plan.columns.with(at, column) });
  };
  return (
    <div className="import-preview" tabIndex={0} role="group" aria-label={t.label}>
      <Table withColumnBorders stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {plan.columns.map((column, at) => (
              <Table.Th key={column.name} scope="col" miw={170} style={{ verticalAlign: 'top' }}>
                <ColumnSettings
                  column={column}
                  existing={existing}
                  mayCreate={mayCreate}
                  onChange={(changed) => {
                    change(at, changed);
                  }}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sample.records.slice(0, PREVIEW_ROWS).map((record) => (
            <Table.Tr key={record.line}>
              {plan.columns.map(({ name }, at) => (
                <Table.Td key={name}>
                  <PreviewCell record={record} at={at} column={written.get(at)} plan={plan} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface PreviewCellProps {
  readonly record: SourceRecord;
  /** Position of the cell. */
  readonly at: number;
  readonly column: Column | undefined;
  readonly plan: ImportPlan;
}

function PreviewCell({ record, at, column, plan }: PreviewCellProps): ReactNode {
  const cell = record.cells[at] ?? '';
  const text = cell.slice(0, 100);
  const read = column && readCell(record, at, column, plan.formats);
  if (!read || read.isEmpty || cell === '') {
    return (
      <Text size="sm" c="dimmed" truncate maw={240}>
        {text}
      </Text>
    );
  }
  const { json } = read;
  const isFit = json !== undefined;
  const isQuoted = isFit && json.startsWith('"') && column.type !== 'json';
  const shown = isQuoted ? (JSON.parse(json) as string) : json;
  return (
    <Text
      size="sm"
      truncate
      maw={240}
      title={cell.slice(0, 500)}
      {...(isFit ? {} : { c: 'red.9', td: 'line-through' })}
    >
      {(shown ?? text).slice(0, 100)}
    </Text>
  );
}

interface ColumnSettingsProps {
  readonly column: PlannedColumn;
  readonly existing: readonly Column[];
  readonly mayCreate: boolean;
  readonly onChange: (column: PlannedColumn) => void;
}

function ColumnSettings(props: ColumnSettingsProps): ReactNode {
  const { column, existing, mayCreate, onChange } = props;
  const { name, target } = column;
  const mapped = existing.find(({ key }) => target.kind === 'existing' && key === target.key);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t.columnFor(name)}
        value={target.kind === 'existing' ? `=${target.key}` : target.kind}
        data={[
          ...existing
            .filter(({ type }) => !isReadOnly(type))
            .map(({ key, title }) => ({ value: `=${key}`, label: title })),
          ...(mayCreate ? [{ value: 'new', label: t.newColumn }] : []),
          { value: 'skip', label: t.leaveOut },
        ]}
        onChange={({ currentTarget: { value } }) => {
          const isExisting = value.startsWith('=');
          onChange({
            ...column,
            target: isExisting
              ? { kind: 'existing', key: value.slice(1) }
              : { kind: value === 'new' ? 'new' : 'skip' },
          });
        }}
      />
      {target.kind === 'new' ? (
        <>
          <TextInput
            size="xs"
            mt={4}
            aria-label={t.nameOf(name)}
            maxLength={200}
            value={column.title}
            onChange={({ currentTarget: { value } }) => {
              onChange({ ...column, title: value });
            }}
          />
          <NativeSelect
            size="xs"
            mt={4}
            aria-label={t.typeOf(name)}
            leftSection={<ColumnTypeIcon type={column.type} />}
            value={column.type}
            data={[...NEW_TYPES]}
            onChange={({ currentTarget: { value } }) => {
              const type = NEW_TYPES.find((one) => one === value);
              if (type) onChange({ ...column, type });
            }}
          />
        </>
      ) : (
        <>
          <Group gap={4} mt={4} wrap="nowrap" c="dimmed">
            {mapped && <ColumnTypeIcon type={mapped.type} label={mapped.type} />}
            <Text size="xs" truncate maw={160}>
              {name}
            </Text>
          </Group>
          {mapped && <LinkMapping column={mapped} />}
        </>
      )}
    </>
  );
}

/** Says that a column of links takes ids of rows from a file. */
function LinkMapping({ column }: { readonly column: Column }): ReactNode {
  const { datagridId } = column.options;
  if (datagridId === undefined) return null;
  const link = <DatagridLink id={datagridId} />;
  const { id, ids } = linksText.imports;
  return (
    <Text size="xs" mt={4}>
      <Parts of={column.type === 'link' ? id(link) : ids(link)} />
    </Text>
  );
}
