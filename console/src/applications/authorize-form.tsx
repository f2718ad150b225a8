import { Checkbox, NativeSelect, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { Loading } from '../common/loading';
import { accessErrors, bodyOf, type Access, scopesOf } from '../profile/keys/access';
import { TargetsField } from '../profile/keys/access-field';
import { ScopesField } from '../profile/keys/scopes-field';
import { highestRole } from '../session/role';
import { useSession } from '../session/session-context';
import { applicationsText } from '../text/applications-text';
import type { AuthorizationRequest } from './authorization-query';

const t = applicationsText.authorize;

export interface AuthorizeFormProps {
  readonly request: AuthorizationRequest;
  /** Query with which the application has sent the browser. */
  readonly query: string;
}

/** Chooses what an application may do, and allows or denies it. */
export function AuthorizeForm({ request: asked, query }: AuthorizeFormProps): ReactNode {
  const isSettled = useSettled();
  const role = highestRole(useSession().user);
  const offered = scopesOf(role).filter(({ scope }) => asked.scopes.includes(scope));
  const [access, setAccess] = useState<Access>({
    kind: 'some',
    scopes: offered.map(({ scope }) => scope),
    targets: null,
  });
  const [lifetime, setLifetime] = useState('30');
  const { mutate, isPending, isSuccess, error, variables } = useMutation({
    mutationFn: async (chosen: Access) => {
      const body = { query, ...bodyOf(chosen), lifetimeDays: Number(lifetime) };
      return (await request<{ readonly url: string }>('POST', '/applications', { body })).data;
    },
    onSuccess: ({ url }) => {
      leaveFor(url);
    },
  });
  const names = ['scopes', 'workspaceIds', 'datagridIds', 'lifetimeDays'] as const;
  const { fields, rest } = formErrors(error, names);
  const { scopesError, targetsError } = accessErrors(fields, variables);
  if (isSuccess) return <Loading />;
  return (
    <Form
      submitLabel={t.allow}
      cancelLabel={t.deny}
      isPending={isPending}
      isDisabled={!isSettled}
      error={error}
      problem={rest}
      onCancel={() => {
        leaveFor(asked.denyUrl);
      }}
      onSubmit={() => {
        mutate(access);
      }}
    >
      {offered.length === 0 && <Text c="red.9">{t.noScopes}</Text>}
      <ScopesField
        label={t.scopes}
        description={t.scopesHint}
        offered={offered}
        value={access.scopes}
        error={scopesError}
        onChange={(scopes) => {
          setAccess({ ...access, scopes });
        }}
      />
      <Checkbox
        label={t.limit}
        checked={access.targets !== null}
        onChange={({ currentTarget }) => {
          setAccess({ ...access, targets: currentTarget.checked ? [] : null });
        }}
      />
      {access.targets !== null && (
        <TargetsField
          value={access.targets}
          error={targetsError}
          onChange={(targets) => {
            setAccess({ ...access, targets });
          }}
        />
      )}
      <NativeSelect
        label={t.lifetime}
        data={Object.entries(t.days).map(([value, label]) => ({ value, label }))}
        value={lifetime}
        error={fields.lifetimeDays}
        onChange={(event) => {
          setLifetime(event.currentTarget.value);
        }}
      />
    </Form>
  );
}

/** Leaves the console, so that the page of the application cannot come back to this one. */
function leaveFor(url: string): void {
  location.replace(url);
}

/** Long enough to see that something else is under the pointer than a moment ago. */
const SETTLING_MS = 800;

/**
 * Whether the page has had the focus for a moment. Another page can come up under the second click of a double click
 * that was meant for a window above it.
 */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      clearTimeout(timer);
      setSettled(false);
      if (!document.hasFocus()) return;
      timer = setTimeout(() => {
        setSettled(true);
      }, SETTLING_MS);
    };
    begin();
    window.addEventListener('focus', begin);
    window.addEventListener('blur', begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', begin);
      window.removeEventListener('blur', begin);
    };
  }, []);
  return isSettled;
}
