import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { DatagridsField } from '../datagrids-field';
import { isStarted, type Connection } from './connection';
import {
  reloadConnections,
  tablesQuery,
  updateConnection,
  type ConnectionRef,
} from './connection-calls';
import { changesOf, draftOf, fieldNames, minutesProblem, type Draft } from './draft';
import { isReadable } from './imports/scheduled-import';
import { SettingsFields } from './settings-fields';
import { DeletionsField, FrequencyField, noneOf } from './sync-fields';

export interface ConnectionTaskProps {
  readonly at: ConnectionRef;
  readonly connection: Connection;
  readonly onClose: () => void;
}

/**
 * Edits the name, the settings, the datagrids and the interval of a connection, and the effect of
 * deletions if no load has begun.
 */
export function EditDialog({ at, connection, onClose }: ConnectionTaskProps): ReactNode {
  // The page reads the connection again while the dialog is open. Only the user's own changes are sent.
  const [initial] = useState(() => draftOf(connection));
  const [draft, setDraft] = useState(initial);
  const { data } = useQuery(tablesQuery(at));
  const isUnused = data?.tables.some(isStarted) === false;
  const [minutes, setMinutes] = useState<string>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => updateConnection(at, changesOf(initial, draft)),
    onSuccess: onClose,
    onSettled: () => reloadConnections(at.workspaceId),
  });
  const names = [
    ...fieldNames(draft.destination),
    'datagridIds',
    'intervalSeconds',
    ...(isUnused ? ['deletions'] : []),
  ];
  const { fields, rest } = formErrors<string>(error, names);
  const change = (values: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...values }));
  };
  return (
    <Dialog title={connectionsText.form.editTitle(connection.name)} isOpen onClose={onClose}>
      <Form
        submitLabel={text.actions.save}
        isPending={isPending}
        error={minutes ?? error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          const problem = minutesProblem(draft);
          setMinutes(problem);
          if (problem === undefined) mutate();
        }}
      >
        <SettingsFields
          draft={draft}
          errors={fields}
          hasSecret={connection.hasSecret}
          onChange={change}
        />
        <DatagridsField
          workspaceId={at.workspaceId}
          value={draft.datagridIds}
          error={fields['datagridIds']}
          {...(isReadable(connection.type) && { none: noneOf(draft, change) })}
          onChange={(datagridIds) => {
            change({ datagridIds });
          }}
        />
        {isUnused && <DeletionsField draft={draft} error={fields['deletions']} onChange={change} />}
        <FrequencyField
          draft={draft}
          error={minutes ?? fields['intervalSeconds']}
          onChange={change}
        />
      </Form>
    </Dialog>
  );
}
