import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../common/quoted';
import type { Datagrid } from '../datagrid';
import { reloadDatagrid } from '../datagrid-calls';
import { ImportForm, type ChosenImport } from './import-form';
import { ImportRun } from './import-run';

export interface ImportDialogProps {
  readonly datagrid: Datagrid;
  /** Called once an import is over, however it ended. */
  readonly onImported: () => void;
  readonly onClose: () => void;
}

/** Imports a file and reports rejected lines with reasons. */
export function ImportDialog({ datagrid, onImported, onClose }: ImportDialogProps): ReactNode {
  const [chosen, setChosen] = useState<ChosenImport>();
  return (
    <Dialog
      title={`Import into ${quoted(datagrid.name)}`}
      isOpen
      isFirm={chosen !== undefined}
      onClose={onClose}
    >
      {chosen ? (
        <ImportRun
          datagridId={datagrid.id}
          chosen={chosen}
          onOver={() => {
            onImported();
            void reloadDatagrid(datagrid.id);
          }}
          onAnother={() => {
            setChosen(undefined);
          }}
          onClose={onClose}
        />
      ) : (
        <ImportForm datagrid={datagrid} onStart={setChosen} onClose={onClose} />
      )}
    </Dialog>
  );
}
