import { FileInput, Stack, Text } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { quoted } from '../../text/words';
import { reloadLists } from '../../list/listing';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { importText } from '../../text/import-text';
import type { Datagrid } from '../datagrid';
import { reloadDatagrid } from '../datagrid-calls';
import { ImportRun } from './import-run';
import type { ImportTarget } from './import-target';
import type { FileTask } from './plan/run-task';
import { useFileTask } from './plan/use-file-task';
import type { FileFormat } from './read/record';
import type { ChosenImport } from './wizard/chosen-import';
import { PlanStep } from './wizard/plan-step';

const t = importText.dialog;

export interface ImportDialogProps {
  readonly target: ImportTarget;
  /** A file that was dropped on the page. */
  readonly file?: File | undefined;
  /** Called once an import is over, with the datagrid unless it was undone with the import. */
  readonly onImported: (datagridId: string | undefined) => void;
  readonly onClose: () => void;
}

/** Imports a file: a preview, then a check of the whole file, then the import. */
export default function ImportDialog(props: ImportDialogProps): ReactNode {
  const { onImported, onClose } = props;
  // The columns as they were when the import was planned: the import may create some.
  const [target, setTarget] = useState(props.target);
  const [file, setFile] = useState(props.file);
  const [chosen, setChosen] = useState<ChosenImport>();
  const another = (): void => {
    setFile(undefined);
    setChosen(undefined);
    setTarget(props.target);
  };
  const { datagrid } = target;
  return (
    <Dialog
      title={datagrid ? t.title(quoted(datagrid.name)) : t.newTitle}
      isOpen
      isWide={file !== undefined}
      isFirm={chosen !== undefined}
      onClose={onClose}
    >
      {chosen ? (
        <ImportRun
          target={target}
          chosen={chosen}
          onOver={(datagridId) => {
            onImported(datagridId);
            if (datagridId !== undefined) void reloadDatagrid(datagridId);
            // They show the number of rows.
            void reloadLists();
          }}
          onAnother={another}
          onClose={onClose}
        />
      ) : file ? (
        <ReadFile file={file} datagrid={datagrid} onStart={setChosen} onAnother={another} />
      ) : (
        <Stack>
          <FileInput
            label={t.file}
            description={t.fileHint}
            placeholder={t.chooseFile}
            accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.xlsx,.gz,text/csv"
            data-autofocus
            value={null}
            onChange={(given) => {
              setFile(given ?? undefined);
            }}
          />
          <Text size="sm" c="dimmed">
            {t.nothingWritten}
          </Text>
        </Stack>
      )}
    </Dialog>
  );
}

interface ReadFileProps {
  readonly file: File;
  readonly datagrid: Datagrid | undefined;
  readonly onStart: (chosen: ChosenImport) => void;
  readonly onAnother: () => void;
}

function ReadFile({ file, datagrid, onStart, onAnother }: ReadFileProps): ReactNode {
  const mayCreate = mayWriteSchema(useSession().user.role);
  const [format, setFormat] = useState<FileFormat>();
  const task = useMemo(
    (): FileTask & { readonly kind: 'sample' } => ({
      kind: 'sample',
      file,
      ...(format ? { format } : {}),
    }),
    [file, format],
  );
  const { result, error } = useFileTask(task);
  if (error !== undefined) return <Problem error={error} title={t.failed} />;
  if (!result) return <Loading />;
  return (
    <PlanStep
      key={JSON.stringify(result.format)}
      file={file}
      sample={result}
      datagrid={datagrid}
      mayCreate={mayCreate}
      onFormat={setFormat}
      onStart={onStart}
      onAnother={onAnother}
    />
  );
}
