import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../../common/problem';
import { importText } from '../../text/import-text';
import { deleteDatagrid } from '../datagrid-calls';
import { undoImport } from './import-calls';
import type { ImportReport } from './import-report';

const t = importText.undo;

export interface UndoImportProps {
  readonly datagridId: string;
  readonly report: ImportReport;
  /** True if the import created the datagrid. */
  readonly isNew: boolean;
  readonly onUndone: () => void;
}

/** Takes back what an import wrote. Columns that it created stay. */
export function UndoImport({ datagridId, report, isNew, onUndone }: UndoImportProps): ReactNode {
  const undo = useMutation({
    mutationFn: async () => {
      if (!isNew) return undoImport(datagridId, report);
      await deleteDatagrid(datagridId);
      return undefined;
    },
    onSuccess: onUndone,
  });
  if (undo.isSuccess) {
    const { data } = undo;
    return (
      <Alert color="green" role="status" title={t.undone}>
        {data ? t.counts(data.deleted, data.updated) : t.inTrash}
      </Alert>
    );
  }
  return (
    <>
      {undo.isError && <Problem error={undo.error} title={t.failed} />}
      <Button
        variant="default"
        loading={undo.isPending}
        onClick={() => {
          undo.mutate();
        }}
      >
        {isNew ? t.startNew : t.start}
      </Button>
    </>
  );
}
