import { Checkbox, FileInput, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Form } from '../../common/form';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { randomKey } from '../../api/attempt-key';
import type { Datagrid } from '../datagrid';
import type { ImportSettings } from './import-calls';

/** A file, its import options, and its idempotency key. */
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

/** Form for a file and its import options. */
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
        description="CSV with a header of column keys or titles, or NDJSON. Both can be compressed with gzip."
        placeholder="Choose a file"
        accept=".csv,.txt,.ndjson,.jsonl,.gz,text/csv"
        required
        data-autofocus
        value={file}
        onChange={setFile}
        error={isMissing && !file && 'Choose a file.'}
      />
      <Radio.Group
        label="Rejected lines"
        value={onError}
        onChange={(value) => {
          setOnError(value === 'abort' ? 'abort' : 'skip');
        }}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="skip" label="are skipped and reported" />
          <Radio value="abort" label="end the import" />
        </Stack>
      </Radio.Group>
      {unique.length > 0 && (
        <NativeSelect
          label="Existing rows"
          value={matchOn}
          data={[
            { value: '', label: 'Create a row for each line' },
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
          description="Types are detected from the first 1,000 rows."
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
