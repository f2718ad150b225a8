import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useLeaveGuard } from '../../common/leave-guard';
import { Problem } from '../../common/problem';
import type { ChosenImport } from './import-form';
import { ReportView } from './report-view';
import { cancelImport, readReport, startImport, stopImport } from './import-calls';
import type { ImportReport } from './import-report';

const WATCH_MS = 1_000;

export interface ImportRunProps {
  readonly datagridId: string;
  readonly chosen: ChosenImport;
  readonly onOver: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** An import in progress: the upload, then the writing, then the report. */
export function ImportRun(props: ImportRunProps): ReactNode {
  const { datagridId, chosen, onOver, onAnother, onClose } = props;
  const [share, setShare] = useState(0);
  const [started, setStarted] = useState<ImportReport>();
  const [failure, setFailure] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const [isStopping, setStopping] = useState(false);
  const sending = useRef<AbortController>(null);

  useEffect(() => {
    const page = new AbortController();
    const upload = new AbortController();
    sending.current = upload;
    const given = { datagridId, ...chosen };
    const signal = AbortSignal.any([page.signal, upload.signal]);
    startImport({ ...given, signal, onProgress: setShare })
      .catch((error: unknown) => {
        if (!upload.signal.aborted) throw error;
        return stopImport({ ...given, signal: page.signal });
      })
      .then(setStarted)
      .catch((error: unknown) => {
        // React's strict mode runs effects twice. The first run is aborted without a message.
        if (!page.signal.aborted) setFailure(error);
      })
      .finally(() => {
        setStopping(false);
      });
    return () => {
      page.abort();
    };
  }, [datagridId, chosen, tries]);

  const watched = useQuery({
    queryKey: ['import', datagridId, started?.id],
    queryFn: async ({ signal }) => (await readReport(datagridId, started?.id ?? '', signal)).data,
    enabled: started?.state === 'running',
    refetchInterval: ({ state }) =>
      state.data && state.data.state !== 'running' ? false : WATCH_MS,
    retry: true,
  });
  const report = watched.data ?? started;
  const isOver = report !== undefined && report.state !== 'running';
  const hasFailed = failure !== undefined;
  // Leaving the page during the upload ends the import.
  useLeaveGuard(report === undefined && !hasFailed);
  const tellOver = useEffectEvent(onOver);
  useEffect(() => {
    // Also after a failure, because written batches remain.
    if (isOver || hasFailed) tellOver();
  }, [isOver, hasFailed]);

  if (hasFailed) {
    return (
      <Stack>
        <Problem
          error={failure}
          title="The import was interrupted"
          onRetry={() => {
            setFailure(undefined);
            setTries(tries + 1);
          }}
        />
        <Text size="sm">If you try again, no row is written twice.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onAnother}>
            Another file
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    );
  }
  if (isOver) return <ReportView report={report} onAnother={onAnother} onClose={onClose} />;
  return (
    <Stack>
      <Text role="status">{progressOf(report, share, chosen.file)}</Text>
      <Progress
        value={report ? 100 : share * 100}
        striped={report !== undefined}
        animated={report !== undefined}
        aria-label="Progress of the import"
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={isStopping}
          onClick={() => {
            setStopping(true);
            if (report) cancelImport(datagridId, report.id).catch(setFailure);
            else sending.current?.abort();
          }}
        >
          Stop the import
        </Button>
      </Group>
    </Stack>
  );
}

function progressOf(report: ImportReport | undefined, share: number, file: File): string {
  if (report) return writing(report);
  const percent = Math.floor(share * 100);
  return share < 1
    ? `Sending ${file.name}: ${percent} %`
    : `${file.name} has been sent. Its rows are being written.`;
}

function writing({ committedRows, rejected, rowsPerSecond }: ImportReport): string {
  const rate = rowsPerSecond > 0 ? `, ${rowsPerSecond.toLocaleString()} per second` : '';
  return `${committedRows.toLocaleString()} rows are written, ${rejected.toLocaleString()} rejected${rate}.`;
}
