import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { isApiError } from '../../api/api-error';
import { useLeaveGuard } from '../../common/leave-guard';
import { Problem } from '../../common/problem';
import { importText } from '../../text/import-text';
import { cancelImport, readReport, startImport, stopImport } from './import-calls';
import type { ImportReport } from './import-report';
import { prepareTarget, type ImportTarget } from './import-target';
import type { ConvertedFile } from './plan/check';
import { runTask } from './plan/run-task';
import { ReportView } from './report-view';
import type { ChosenImport } from './wizard/chosen-import';

const t = importText.run;

const WATCH_MS = 1_000;

export interface ImportRunProps {
  readonly target: ImportTarget;
  readonly chosen: ChosenImport;
  /** Called when the import is over or undone, with the datagrid unless it was undone as well. */
  readonly onOver: (datagridId: string | undefined) => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** The import that was started, with what its report needs. */
interface Started {
  readonly datagridId: string;
  readonly report: ImportReport;
  readonly lines: ConvertedFile['lines'];
}

/** An import in progress: the conversion, the upload, then the writing, then the report. */
export function ImportRun(props: ImportRunProps): ReactNode {
  const { target, chosen, onOver, onAnother, onClose } = props;
  const [step, setStep] = useState(t.converting);
  const [share, setShare] = useState(0);
  const [started, setStarted] = useState<Started>();
  const [failure, setFailure] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const [isStopping, setStopping] = useState(false);
  const sending = useRef<AbortController>(null);

  useEffect(() => {
    const page = new AbortController();
    const upload = new AbortController();
    sending.current = upload;
    const signal = AbortSignal.any([page.signal, upload.signal]);
    const run = async (): Promise<Started> => {
      const { written, taken } = chosen;
      const task = { file: chosen.file, plan: chosen.plan, written, ...(taken && { taken }) };
      const { file, lines } = await runTask({ kind: 'convert', task }, signal, (rows) => {
        setStep(t.converted(rows));
        setShare(rows / chosen.check.rows);
      });
      signal.throwIfAborted();
      const datagridId = await prepareTarget(target, chosen);
      const { matchOn } = chosen.plan;
      const settings = { onError: 'skip' as const, matchOn: matchOn === '' ? [] : [matchOn] };
      const given = { datagridId, file, settings, key: `${chosen.key}-rows` };
      const report = await startImport({
        ...given,
        signal,
        onProgress: (sent) => {
          setStep(sendingOf(chosen.file.name, sent));
          setShare(sent);
        },
      }).catch((error: unknown) => {
        if (!upload.signal.aborted) throw error;
        return stopImport({ ...given, signal: page.signal });
      });
      return { datagridId, report, lines };
    };
    run()
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
  }, [target, chosen, tries]);

  const datagridId = started?.datagridId ?? target.datagrid?.id;
  const importId = started?.report.id ?? '';
  const watched = useQuery({
    queryKey: ['import', datagridId, importId],
    queryFn: async ({ signal }) => (await readReport(datagridId ?? '', importId, signal)).data,
    enabled: started?.report.state === 'running',
    refetchInterval: ({ state }) =>
      state.data && state.data.state !== 'running' ? false : WATCH_MS,
    retry: true,
  });
  const report = watched.data ?? started?.report;
  const isOver = report !== undefined && report.state !== 'running';
  const hasFailed = failure !== undefined;
  // Leaving the page during the upload ends the import.
  useLeaveGuard(report === undefined && !hasFailed);
  const tellOver = useEffectEvent(onOver);
  useEffect(() => {
    // Also after a failure, because written batches remain.
    if ((isOver || hasFailed) && datagridId !== undefined) tellOver(datagridId);
  }, [isOver, hasFailed, datagridId]);

  if (hasFailed) {
    return (
      <ImportFailed
        error={failure}
        onAnother={onAnother}
        onClose={onClose}
        onRetry={() => {
          setFailure(undefined);
          setTries(tries + 1);
        }}
      />
    );
  }
  if (isOver && started) {
    const { lines } = started;
    const isNew = target.datagrid === undefined;
    const hasHistory = target.datagrid?.history !== false || chosen.turnsHistoryOn;
    const given = { chosen, report, lines, isNew, hasHistory, datagridId: started.datagridId };
    const onUndone = (): void => {
      onOver(isNew ? undefined : started.datagridId);
    };
    return <ReportView {...given} onUndone={onUndone} onAnother={onAnother} onClose={onClose} />;
  }
  return (
    <Stack>
      <Text role="status">{report ? writing(report) : step}</Text>
      <Progress
        value={report ? 100 : share * 100}
        striped={report !== undefined}
        animated={report !== undefined}
        aria-label={t.progress}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={isStopping}
          onClick={() => {
            setStopping(true);
            if (report && started) {
              cancelImport(started.datagridId, report.id).catch(setFailure);
            } else sending.current?.abort(new Error(t.stopped));
          }}
        >
          {t.stop}
        </Button>
      </Group>
    </Stack>
  );
}

interface ImportFailedProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

function ImportFailed({ error, onRetry, onAnother, onClose }: ImportFailedProps): ReactNode {
  // Other errors are about the file, the datagrid or the role, and do not change by themselves.
  const mayPass = isApiError(error) && (error.isOutage || [408, 429].includes(error.status));
  return (
    <Stack>
      <Problem
        error={error}
        title={mayPass ? t.interrupted : t.failed}
        {...(mayPass ? { onRetry } : {})}
      />
      {mayPass && <Text size="sm">{t.retryHint}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={onAnother}>
          {importText.dialog.another}
        </Button>
        <Button variant="default" onClick={onClose}>
          {importText.dialog.close}
        </Button>
      </Group>
    </Stack>
  );
}

function sendingOf(name: string, share: number): string {
  return share < 1 ? t.sending(name, Math.floor(share * 100)) : t.sent(name);
}

function writing({ committedRows, rejected, rowsPerSecond }: ImportReport): string {
  const perSecond = rowsPerSecond > 0 ? rowsPerSecond.toLocaleString() : undefined;
  return t.writing(committedRows.toLocaleString(), rejected.toLocaleString(), perSecond);
}
