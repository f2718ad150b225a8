import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { Problem } from '../../common/problem';
import { deleteDatagrid } from '../datagrid-calls';
import { undoImport } from './import-calls';
import type { ImportReport } from './import-report';

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
      <Alert color="green" role="status" title="The import was undone">
        {data
          ? `${countOf(data.deleted, 'row')} deleted, ${countOf(data.updated, 'row')} changed back.`
          : 'The new datagrid is in the trash of its workspace.'}
      </Alert>
    );
  }
  return (
    <>
      {undo.isError && <Problem error={undo.error} title="The import was not undone" />}
      <Button
        variant="default"
        loading={undo.isPending}
        onClick={() => {
          undo.mutate();
        }}
      >
        {isNew ? 'Undo: move the datagrid to the trash' : 'Undo the import'}
      </Button>
    </>
  );
}
