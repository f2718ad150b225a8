import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { isApiError } from '../api/api-error';
import { EmptyState } from '../common/empty-state';
import { Problem, type ProblemProps } from '../common/problem';
import { mayReadTrash } from '../session/role';
import { useSession } from '../session/session-context';
import { text } from '../text/text';

/** Shown in place of a workspace or datagrid that failed to load. It may be in the trash. */
export function LoadProblem(props: ProblemProps): ReactNode {
  const { role } = useSession().user;
  const { title, hint, noAccess, openTrash } = text.missing;
  if (!isApiError(props.error) || props.error.status !== 404) return <Problem {...props} />;
  if (!mayReadTrash(role)) return <EmptyState title={title}>{noAccess}</EmptyState>;
  return (
    <EmptyState
      title={title}
      action={
        <Button component={Link} to="/workspaces/trash" variant="default">
          {openTrash}
        </Button>
      }
    >
      {hint}
    </EmptyState>
  );
}
