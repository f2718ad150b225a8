import { Alert, Checkbox, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { VERBATIM } from '../../common/verbatim';
import { quoted } from '../../text/words';
import { formatDate } from '../../common/time';
import { datagridsText } from '../../text/datagrids-text';
import { isComputed } from '../column-type';
import type { Column } from '../datagrid';
import type { ColumnDraft } from './column-draft';

const t = datagridsText.column;

export interface KeyFieldsProps {
  readonly draft: ColumnDraft;
  /** The column as it is, or undefined for a new one. */
  readonly column: Column | undefined;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (draft: ColumnDraft) => void;
}

/** The key of a column, what happens to requests if it changes, and the keys that it had before. */
export function KeyFields({ draft, column, errors, onChange }: KeyFieldsProps): ReactNode {
  const previousKeys = column?.previousKeys ?? [];
  return (
    <>
      <TextInput
        label={t.key}
        description={t.keyHint}
        {...VERBATIM}
        required
        maxLength={63}
        value={draft.key}
        error={errors['key']}
        onChange={({ currentTarget: { value: key } }) => {
          onChange({ ...draft, key });
        }}
      />
      {column && draft.key !== column.key && (
        <Alert color="yellow" role="status">
          {isComputed(column.type)
            ? t.computedKeyChange(quoted(column.key))
            : t.keyChange(quoted(column.key))}
        </Alert>
      )}
      {previousKeys.length > 0 && (
        <Checkbox.Group
          label={t.previousKeys}
          description={t.previousKeysHint}
          value={[...draft.releaseKeys]}
          error={errors['releaseKeys']}
          onChange={(releaseKeys) => {
            onChange({ ...draft, releaseKeys });
          }}
        >
          <Stack gap="xs" mt="xs">
            {previousKeys.map(({ key, expiresAt }) => (
              <Checkbox
                key={key}
                value={key}
                label={t.releaseKey(key)}
                description={t.acceptedUntil(formatDate(expiresAt))}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}
