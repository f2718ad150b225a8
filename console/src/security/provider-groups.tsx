import { Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../api/types';
import { ROLES } from '../session/role';
import { useWorkspaceNodes } from '../shell/tree-queries';
import { securityText } from '../text/security-text';
import type { GroupRole } from './providers-query';

const t = securityText.providers.groups;

/** No group gives the role of owners. */
const OF_ACCOUNT = ROLES.filter(({ role }) => role !== 'owner');
/** A role in one workspace. */
const OF_WORKSPACE = OF_ACCOUNT.filter(({ role }) => role !== 'member');

const NEW: GroupRole = { group: '', role: 'viewer' };

export interface GroupRolesProps {
  readonly claim: string;
  readonly groupRoles: readonly GroupRole[];
  /** Message of the list. */
  readonly error: string | undefined;
  readonly onClaim: (claim: string) => void;
  readonly onChange: (groupRoles: readonly GroupRole[]) => void;
}

/** Roles that groups of a provider give. */
export function GroupRoles({
  claim,
  groupRoles,
  error,
  onClaim,
  onChange,
}: GroupRolesProps): ReactNode {
  const replace = (at: number, given: GroupRole): void => {
    onChange(groupRoles.with(at, given));
  };
  return (
    <Fieldset legend={t.title}>
      <Stack gap="sm">
        <Text size="sm">{t.hint}</Text>
        {groupRoles.map((given, at) => (
          <GroupRoleFields
            // Rows have no identity of their own.
            // oxlint-disable-next-line react/no-array-index-key -- as above
            key={at}
            number={at + 1}
            given={given}
            onChange={(changed) => {
              replace(at, changed);
            }}
            onRemove={() => {
              onChange(groupRoles.toSpliced(at, 1));
            }}
          />
        ))}
        {error !== undefined && (
          <Text size="sm" c="red.9" role="alert">
            {error}
          </Text>
        )}
        <Group>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              onChange([...groupRoles, NEW]);
            }}
          >
            {t.add}
          </Button>
        </Group>
        {groupRoles.length > 0 && (
          <TextInput
            label={t.claim}
            description={t.claimHint}
            autoComplete="off"
            value={claim}
            onChange={(event) => {
              onClaim(event.currentTarget.value);
            }}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

interface GroupRoleFieldsProps {
  readonly number: number;
  readonly given: GroupRole;
  readonly onChange: (given: GroupRole) => void;
  readonly onRemove: () => void;
}

function GroupRoleFields({ number, given, onChange, onRemove }: GroupRoleFieldsProps): ReactNode {
  const { data: workspaces } = useWorkspaceNodes();
  const { group, role, workspaceId } = given;
  const choices = workspaceId === undefined ? OF_ACCOUNT : OF_WORKSPACE;
  const places = [
    { value: '', label: t.account },
    ...(workspaces?.nodes ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  // The workspace may be in the trash, or not read yet.
  if (workspaceId !== undefined && !places.some(({ value }) => value === workspaceId))
    places.push({ value: workspaceId, label: workspaceId });
  return (
    <Group align="flex-end" gap="xs" role="group" aria-label={t.row(number)}>
      <TextInput
        label={t.group}
        autoComplete="off"
        flex={1}
        value={group}
        onChange={(event) => {
          onChange({ ...given, group: event.currentTarget.value });
        }}
      />
      <NativeSelect
        label={t.role}
        data={choices.map((each) => ({ value: each.role, label: each.label }))}
        value={role}
        onChange={(event) => {
          onChange({ ...given, role: event.currentTarget.value as Role });
        }}
      />
      <NativeSelect
        label={t.place}
        data={places}
        value={workspaceId ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          if (value === '') onChange({ group, role });
          else onChange({ group, role: role === 'member' ? 'viewer' : role, workspaceId: value });
        }}
      />
      <Button variant="subtle" aria-label={t.removeRow(number)} onClick={onRemove}>
        {t.remove}
      </Button>
    </Group>
  );
}
