import { Checkbox, FileInput, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Form } from '../../common/form';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { randomKey } from '../../api/attempt-key';
import type { Datagrid } from '../datagrid';
import type { ImportSettings } from './import-calls';

/** A file, what to do with it, and the name under which it is written once. */
export interface ChosenImport {
  readonly file: File;
  readonly settings: ImportSettings;
  readonly key: string;
}

export interface ImportFormProps {
  readonly datagrid: Datagrid;
  readonly onStart: (chosen: ChosenImport) => void;
  readonly onClose: () => void;
}

/** Chooses a file and what happens to its lines. */
export function ImportForm({ datagrid, onStart, onClose }: ImportFormProps): ReactNode {
  const mayCreate = mayWriteSchema(useSession().user.role);
  const unique = datagrid.columns.filter((column) => column.unique);
  const [file, setFile] = useState<File | null>(null);
  const [onError, setOnError] = useState<ImportSettings['onError']>('skip');
  const [matchOn, setMatchOn] = useState('');
  const [createColumns, setCreateColumns] = useState(mayCreate && datagrid.columns.length === 0);
  const [isMissing, setMissing] = useState(false);
  return (
    <Form
      submitLabel="Import"
      isPending={false}
      error={isMissing && !file ? 'missing' : null}
      problem={undefined}
      onCancel={onClose}
      onSubmit={() => {
        if (!file) {
          setMissing(true);
          return;
        }
        const settings = { onError, createColumns, matchOn: matchOn === '' ? [] : [matchOn] };
        onStart({ file, settings, key: randomKey() });
      }}
    >
      <FileInput
        label="File"
        description="CSV with a line of column keys or titles first, or NDJSON; also with gzip."
        placeholder="Choose a file"
        accept=".csv,.txt,.ndjson,.jsonl,.gz,text/csv"
        required
        data-autofocus
        value={file}
        onChange={setFile}
        error={isMissing && !file && 'Choose a file.'}
      />
      <Radio.Group
        label="A line that is rejected"
        value={onError}
        onChange={(value) => {
          setOnError(value === 'abort' ? 'abort' : 'skip');
        }}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="skip" label="is left out, and named in the report" />
          <Radio value="abort" label="ends the import" />
        </Stack>
      </Radio.Group>
      {unique.length > 0 && (
        <NativeSelect
          label="Rows that are there already"
          value={matchOn}
          data={[
            { value: '', label: 'Each line is a new row' },
            ...unique.map(({ key, title }) => ({
              value: key,
              label: `Change the row with the same ${title}`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            setMatchOn(value);
          }}
        />
      )}
      {mayCreate && (
        <Checkbox
          label="Create columns for unknown header names"
          description="Their types are found from the first 1,000 rows."
          checked={createColumns}
          onChange={({ currentTarget: { checked } }) => {
            setCreateColumns(checked);
          }}
        />
      )}
      <Text size="sm" c="dimmed">
        Up to 5,000 rows are written all or none; longer files in steps, which stay.
      </Text>
    </Form>
  );
}
