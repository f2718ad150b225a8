import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Problem } from '../../common/problem';
import { importText } from '../../text/import-text';
import { downloadFile } from '../download';
import { isUndoable, type ImportReport } from './import-report';
import { runTask } from './plan/run-task';
import { lineUnitOf } from './read/record';
import { UndoImport } from './undo-import';
import type { ChosenImport } from './wizard/chosen-import';

const t = importText.report;

/** Maximum number of displayed lines. The file contains all of them. */
const SHOWN = 100;

export interface ReportViewProps {
  readonly datagridId: string;
  readonly isNew: boolean;
  /** Whether the datagrid kept earlier versions of the rows that the import changed. */
  readonly hasHistory: boolean;
  readonly chosen: ChosenImport;
  readonly report: ImportReport;
  /** The line in the file of each line that was sent. */
  readonly lines: Uint32Array;
  readonly onUndone: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** Shows the outcome of an import. */
export function ReportView(props: ReportViewProps): ReactNode {
  const { datagridId, isNew, hasHistory, chosen, report, lines } = props;
  const { onUndone, onAnother, onClose } = props;
  const { state, failure, rejected, committedRows } = report;
  const { check } = chosen;
  const [isUndone, setUndone] = useState(false);
  const isDone = state === 'completed';
  const totalRejected = check.rejected + rejected;
  const isWhole = isDone && totalRejected === 0 && check.emptied === 0;
  const isBad = !isDone || totalRejected * 2 > check.rows;
  const canUndo = isUndoable(report, hasHistory);
  const shown = rejectedLines(props);
  return (
    <Stack>
      <Alert
        color={isWhole ? 'green' : isBad ? 'red' : 'yellow'}
        role={isWhole ? 'status' : 'alert'}
        title={titleOf(report, totalRejected, check.rows)}
      >
        <Text size="sm">{countsOf(report, totalRejected, check.rows)}</Text>
        {isDone && check.emptied > 0 && <Text size="sm">{t.leftEmpty(check.emptied)}</Text>}
        {failure && <Text size="sm">{failure.message}</Text>}
      </Alert>
      {(totalRejected > 0 || !isDone) && (
        <DownloadRejected chosen={chosen} report={report} lines={lines} />
      )}
      {shown.length > 0 && (
        <div className="import-lines" tabIndex={0} role="group" aria-label={t.label}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t.lines[lineUnitOf(chosen.plan.format)]}</Table.Th>
                <Table.Th scope="col">{t.column}</Table.Th>
                <Table.Th scope="col">{t.reason}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.slice(0, SHOWN).map(({ line, field, message }) => (
                <Table.Tr key={`${line} ${field} ${message}`}>
                  <Table.Td>{line}</Table.Td>
                  <Table.Td>{field}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {committedRows > 0 && !canUndo && <Text size="sm">{importText.undo.notPossible}</Text>}
      <Group justify="flex-end" className="import-actions">
        {committedRows > 0 && canUndo && (
          <UndoImport
            datagridId={datagridId}
            report={report}
            isNew={isNew}
            onUndone={() => {
              setUndone(true);
              onUndone();
            }}
          />
        )}
        <Button variant="default" onClick={onAnother}>
          {importText.dialog.another}
        </Button>
        <Button onClick={onClose}>{isNew && !isUndone ? t.open : importText.dialog.close}</Button>
      </Group>
    </Stack>
  );
}

/** Downloads the rows that were not imported, to fix them and import them again. */
function DownloadRejected(props: Pick<ReportViewProps, 'chosen' | 'report' | 'lines'>): ReactNode {
  const { chosen, report } = props;
  const { file, plan, written, taken } = chosen;
  const save = useMutation({
    mutationFn: async () => {
      const reasons = new Map(
        report.errors.map(({ line, details }) => [
          line,
          details.map(({ field, message }) => t.columnReason(field, message)).join('; '),
        ]),
      );
      const notWrittenFrom = report.state === 'completed' ? null : report.nextLine;
      const checked = { file, plan, written, ...(taken && { taken }) };
      const task = { ...checked, reasons, notWrittenFrom };
      const never = new AbortController().signal;
      downloadFile(await runTask({ kind: 'rejected', task }, never));
    },
  });
  const isCut = report.rejected > report.errors.length;
  return (
    <>
      <Group justify="space-between">
        <Text size="sm">{isCut ? t.restCut(report.errors.length) : t.rest}</Text>
        <Button
          variant="default"
          size="xs"
          loading={save.isPending}
          onClick={() => {
            save.mutate();
          }}
        >
          {t.download}
        </Button>
      </Group>
      {save.isError && <Problem error={save.error} />}
    </>
  );
}

interface ShownLine {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

/** Examples of what the check rejected, and what the service rejected. */
function rejectedLines({ chosen, report, lines }: ReportViewProps): readonly ShownLine[] {
  const rejected = chosen.check.misfits.filter(({ outcome }) => outcome !== 'emptied');
  const checked = rejected.flatMap(({ title = '', reason, examples }) =>
    examples.map(({ line, text }) => ({ line, field: title, message: t.wrongValue(text, reason) })),
  );
  const sent = report.errors.flatMap(({ line, details }) =>
    details.map(({ field, message }) => ({ line: lines[line - 1] ?? line, field, message })),
  );
  return [...checked, ...sent].sort((a, b) => a.line - b.line);
}

function titleOf(
  { state, committedRows }: ImportReport,
  totalRejected: number,
  rows: number,
): string {
  if (state !== 'completed') return t.stoppedEarly;
  if (totalRejected === 0) return t.complete;
  if (committedRows === 0) return t.allRejected;
  return t.someRejected(totalRejected.toLocaleString(), rows.toLocaleString());
}

function countsOf(report: ImportReport, totalRejected: number, rows: number): string {
  const parts = [
    [rows, t.count.read],
    [report.created, t.count.created],
    [report.updated, t.count.changed],
    [report.unchanged, t.count.unchanged],
    [totalRejected, t.count.rejected],
  ] as const;
  const named = parts.filter(([count], at) => at < 2 || count > 0);
  return t.counts(named.map(([count, textOf]) => textOf(count.toLocaleString())));
}
