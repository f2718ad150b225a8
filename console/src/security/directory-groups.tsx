import { Button, NativeSelect, Pagination, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { readPage } from '../api/page';
import type { WorkspaceRole } from '../api/types';
import { DataTable, type TableColumn } from '../common/data-table';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { labelOfRole, ROLES } from '../session/role';
import { useWorkspaceNodes } from '../shell/tree-queries';
import { scimText } from '../text/scim-text';
import { reloadScim, type DirectoryGroup } from './scim-query';

const t = scimText.groups;

const ROLE_CHOICES = [
  { value: '', label: t.noRole },
  ...ROLES.filter(({ role }) => role !== 'owner').map(({ role, label }) => ({
    value: role,
    label,
  })),
];
const WORKSPACE_ROLES: readonly WorkspaceRole[] = ['viewer', 'editor', 'admin'];
const WORKSPACE_CHOICES = [
  { value: '', label: t.noRole },
  ...WORKSPACE_ROLES.map((role) => ({ value: role, label: labelOfRole(role) })),
];

/** Groups of the directory, which owners map to roles. */
export function DirectoryGroups(): ReactNode {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery({
    queryKey: ['scim', 'groups', page],
    queryFn: ({ signal }) => readPage<DirectoryGroup>('/scim/groups', page, signal),
  });
  const [mapped, setMapped] = useState<DirectoryGroup>();
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  if (data.items.length === 0) return null;
  const columns: readonly TableColumn<DirectoryGroup>[] = [
    { title: t.name, cell: ({ displayName }) => displayName },
    { title: t.members, cell: ({ memberCount }) => memberCount },
    { title: t.role, cell: ({ role }) => (role === null ? t.noRole : labelOfRole(role)) },
    { title: t.workspaces, cell: ({ workspaceRoles }) => workspaceRoles.length },
    {
      title: t.actions,
      isActions: true,
      cell: (group) => (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t.mapLabel(group.displayName)}
          onClick={() => {
            setMapped(group);
          }}
        >
          {t.map}
        </Button>
      ),
    },
  ];
  return (
    <section aria-labelledby="groups">
      <Title order={2} size="h4" mt="xl" id="groups">
        {t.title}
      </Title>
      <Text my="md">{t.hint}</Text>
      <DataTable label={t.title} columns={columns} items={data.items} idOf={({ id }) => id} />
      {data.pages > 1 && (
        <Pagination mt="md" total={data.pages} value={data.page} onChange={setPage} />
      )}
      {mapped && (
        <MapDialog
          key={mapped.id}
          group={mapped}
          onClose={() => {
            setMapped(undefined);
          }}
        />
      )}
    </section>
  );
}

interface MapDialogProps {
  readonly group: DirectoryGroup;
  readonly onClose: () => void;
}

function MapDialog({ group, onClose }: MapDialogProps): ReactNode {
  const nodes = useWorkspaceNodes();
  const [role, setRole] = useState<string>(group.role ?? '');
  const [roles, setRoles] = useState<ReadonlyMap<string, WorkspaceRole>>(
    () => new Map(group.workspaceRoles.map((each) => [each.workspaceId, each.role])),
  );
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const workspaceRoles = [...roles].map(([workspaceId, each]) => ({ workspaceId, role: each }));
      const body = { role: role === '' ? null : role, workspaceRoles };
      return request('PATCH', `/scim/groups/${group.id}`, { body });
    },
    onSuccess: async () => {
      onClose();
      await reloadScim();
    },
  });
  const choose = (workspaceId: string, choice: string): void => {
    const chosen = WORKSPACE_ROLES.find((one) => one === choice);
    const others = [...roles].filter(([id]) => id !== workspaceId);
    setRoles(new Map(chosen ? [...others, [workspaceId, chosen]] : others));
  };
  const { fields, rest } = formErrors(error, ['role', 'workspaceRoles']);
  return (
    <Dialog title={t.mapLabel(group.displayName)} isOpen onClose={onClose}>
      <Form
        submitLabel={t.save}
        isPending={isPending}
        error={error}
        problem={rest ?? fields.workspaceRoles}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <NativeSelect
          label={t.role}
          description={t.roleHint}
          data={ROLE_CHOICES}
          value={role}
          error={fields.role}
          onChange={(event) => {
            setRole(event.currentTarget.value);
          }}
        />
        {nodes.data?.nodes.map(({ id, name }) => (
          <NativeSelect
            key={id}
            label={t.inWorkspace(name)}
            data={WORKSPACE_CHOICES}
            value={roles.get(id) ?? ''}
            onChange={(event) => {
              choose(id, event.currentTarget.value);
            }}
          />
        ))}
        {nodes.data?.isCut && <Text c="dimmed">{t.cut(nodes.data.nodes.length)}</Text>}
      </Form>
    </Dialog>
  );
}
