import { NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import type { WorkspaceRole } from '../api/types';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { labelOfRole } from '../session/role';
import { reloadUsers } from '../session/users-query';
import { useWorkspaceNodes } from '../shell/tree-queries';
import { usersText } from '../text/users-text';
import type { UserDialogProps } from './user-task';

const t = usersText.workspaceRoles;

const ROLES: readonly WorkspaceRole[] = ['viewer', 'editor', 'admin'];
const CHOICES = [
  { value: '', label: t.none },
  ...ROLES.map((role) => ({ value: role, label: labelOfRole(role) })),
];

/** Gives a user roles in single workspaces. */
export function WorkspaceRolesDialog({ user, onClose }: UserDialogProps): ReactNode {
  const { data, error: failure, refetch } = useWorkspaceNodes();
  const [roles, setRoles] = useState<ReadonlyMap<string, WorkspaceRole>>(
    () => new Map(user.workspaceRoles.map(({ workspaceId, role }) => [workspaceId, role])),
  );
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const workspaceRoles = [...roles].map(([workspaceId, role]) => ({ workspaceId, role }));
      return request('PATCH', `/users/${user.id}`, { body: { workspaceRoles } });
    },
    onSuccess: async () => {
      onClose();
      await reloadUsers();
    },
  });
  const choose = (workspaceId: string, choice: string): void => {
    const role = ROLES.find((one) => one === choice);
    const others = [...roles].filter(([id]) => id !== workspaceId);
    setRoles(new Map(role ? [...others, [workspaceId, role]] : others));
  };
  const { fields, rest } = formErrors(error, ['workspaceRoles']);
  return (
    <Dialog title={t.title(user.email)} isOpen onClose={onClose}>
      {!data && failure && <Problem error={failure} onRetry={() => void refetch()} />}
      {!data && !failure && <Loading />}
      {data && (
        <Form
          submitLabel={t.submit}
          isPending={isPending}
          error={error}
          problem={rest ?? fields.workspaceRoles}
          onCancel={onClose}
          onSubmit={() => {
            mutate();
          }}
        >
          <Text>{t.hint(labelOfRole(user.role))}</Text>
          {data.nodes.map(({ id, name }) => (
            <NativeSelect
              key={id}
              label={name}
              data={CHOICES}
              value={roles.get(id) ?? ''}
              onChange={({ currentTarget }) => {
                choose(id, currentTarget.value);
              }}
            />
          ))}
          {data.isCut && <Text c="dimmed">{t.cut(data.nodes.length)}</Text>}
        </Form>
      )}
    </Dialog>
  );
}
