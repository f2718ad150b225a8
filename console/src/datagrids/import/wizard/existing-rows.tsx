import { Checkbox, Input, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { importText } from '../../../text/import-text';
import type { Column } from '../../datagrid';

const t = importText.plan;

export interface ExistingRowsProps {
  /** Whether the datagrid has a unique column. */
  readonly hasUnique: boolean;
  /** Unique columns of the datagrid that the import writes. */
  readonly unique: readonly Column[];
  /** Key of the column that identifies existing rows; empty to create a row for each. */
  readonly matchOn: string;
  /** Whether the datagrid keeps earlier versions of rows. */
  readonly hasHistory: boolean;
  /** Whether the import turns history on; undefined if the user may not. */
  readonly turnsHistoryOn: boolean | undefined;
  readonly onMatch: (key: string) => void;
  readonly onTurnHistoryOn: (isOn: boolean) => void;
}

/** Chooses what happens to the rows that the datagrid has, and says if that cannot be undone. */
export function ExistingRows(props: ExistingRowsProps): ReactNode {
  const { hasUnique, unique, matchOn, hasHistory, turnsHistoryOn } = props;
  const { onMatch, onTurnHistoryOn } = props;
  if (unique.length === 0) {
    const hint = hasUnique ? t.noUniqueInFile : t.noUnique;
    return <Input.Wrapper label={t.matchOn} labelElement="div" description={hint} />;
  }
  return (
    <Stack gap="xs">
      <NativeSelect
        label={t.matchOn}
        value={matchOn}
        data={[
          { value: '', label: t.insert },
          ...unique.map(({ key, title }) => ({ value: key, label: t.upsert(title) })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          onMatch(value);
        }}
      />
      {matchOn !== '' && !hasHistory && turnsHistoryOn !== true && (
        <Text size="sm">{t.noHistory}</Text>
      )}
      {matchOn !== '' && !hasHistory && turnsHistoryOn !== undefined && (
        <Checkbox
          label={t.keepHistory}
          checked={turnsHistoryOn}
          onChange={({ currentTarget: { checked } }) => {
            onTurnHistoryOn(checked);
          }}
        />
      )}
    </Stack>
  );
}
