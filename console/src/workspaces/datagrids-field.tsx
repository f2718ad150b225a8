import { MultiSelect, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { workspacesText } from '../text/workspaces-text';
import { datagridNamesQuery } from '../datagrids/datagrid-names';

export interface DatagridsFieldProps {
  readonly workspaceId: string;
  /** `null` for all. */
  readonly value: readonly string[] | null;
  readonly error: string | undefined;
  readonly onChange: (value: readonly string[] | null) => void;
  /** The choice of no datagrid. Missing if there must be one. */
  readonly none?: {
    readonly label: string;
    readonly isChosen: boolean;
    readonly onChange: (isChosen: boolean) => void;
  };
}

/** Chooses all datagrids, or some of them. */
export function DatagridsField(props: DatagridsFieldProps): ReactNode {
  const t = workspacesText.datagrids;
  const { workspaceId, value, error, none, onChange } = props;
  const { data, error: failure } = useQuery(datagridNamesQuery(workspaceId));
  const names = data?.names;
  // Deleted datagrids stay chosen until the user removes them.
  const ids = new Set([...(names?.keys() ?? []), ...(value ?? [])]);
  const options = [...ids].map((id) => ({ value: id, label: names?.get(id) ?? id }));
  return (
    <Radio.Group
      label={t.label}
      value={none?.isChosen ? 'none' : value === null ? 'all' : 'some'}
      error={value === null ? error : undefined}
      onChange={(choice) => {
        none?.onChange(choice === 'none');
        if (choice !== 'none') onChange(choice === 'all' ? null : []);
      }}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="all" label={t.all} />
        <Radio value="some" label={t.some} />
        {none && <Radio value="none" label={none.label} />}
        {value !== null && !none?.isChosen && (
          <MultiSelect
            aria-label={t.chosen}
            placeholder={value.length === 0 ? t.choose : ''}
            data={options}
            searchable
            limit={100}
            nothingFoundMessage={failure ? t.failed : t.noneFound}
            value={[...value]}
            error={error}
            description={data?.isCut && t.cut(data.names.size)}
            onChange={onChange}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}
