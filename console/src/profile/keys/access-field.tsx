import { Checkbox, MultiSelect, Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../../api/types';
import { useAllDatagrids, useWorkspaceNodes } from '../../shell/tree-queries';
import { profileText } from '../../text/profile-text';
import { type Access, datagridTarget, scopesOf } from './access';
import { ScopesField } from './scopes-field';

const t = profileText.access;

export interface AccessFieldProps {
  /** Role of the user who gets the key. */
  readonly role: Role;
  readonly value: Access;
  readonly onChange: (value: Access) => void;
  readonly scopesError: string | undefined;
  readonly targetsError: string | undefined;
}

/** Chooses what a new key may be used for: permissions, and workspaces or datagrids. */
export function AccessField({ role, value, onChange, ...errors }: AccessFieldProps): ReactNode {
  return (
    <>
      <Radio.Group
        label={t.label}
        value={value.kind}
        error={value.kind === 'some' ? undefined : errors.scopesError}
        onChange={(kind) => {
          onChange({ ...value, kind });
        }}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={t.all} />
          <Radio value="read" label={t.read} />
          <Radio value="some" label={t.some} />
        </Stack>
      </Radio.Group>
      {value.kind === 'some' && (
        <ScopesField
          label={t.chosen}
          description={t.chosenHint}
          offered={scopesOf(role)}
          value={value.scopes}
          error={errors.scopesError}
          onChange={(scopes) => {
            onChange({ ...value, scopes });
          }}
        />
      )}
      <Checkbox
        label={t.limit}
        checked={value.targets !== null}
        onChange={({ currentTarget }) => {
          onChange({ ...value, targets: currentTarget.checked ? [] : null });
        }}
      />
      {value.targets !== null && (
        <TargetsField
          value={value.targets}
          error={errors.targetsError}
          onChange={(targets) => {
            onChange({ ...value, targets });
          }}
        />
      )}
    </>
  );
}

export interface TargetsFieldProps {
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (value: string[]) => void;
}

/** Chooses workspaces and datagrids. */
export function TargetsField({ value, error, onChange }: TargetsFieldProps): ReactNode {
  const { data } = useWorkspaceNodes();
  const workspaces = data?.nodes ?? [];
  const datagrids = useAllDatagrids(workspaces);
  return (
    <MultiSelect
      label={t.targets}
      description={t.targetsHint}
      data={[
        {
          group: t.workspaceGroup,
          items: workspaces.map(({ id, name }) => ({ value: id, label: name })),
        },
        {
          group: t.datagridGroup,
          items: datagrids.map(({ id, name, workspace }) => ({
            value: datagridTarget(id),
            label: t.datagridIn(name, workspace),
          })),
        },
      ]}
      searchable
      limit={100}
      nothingFoundMessage={t.nothingFound}
      value={[...value]}
      error={error}
      onChange={onChange}
    />
  );
}
