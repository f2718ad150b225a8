import { useMemo, type ReactNode } from 'react';
import { Outlet, useParams } from 'react-router';
import { roleIn } from './role';
import { SessionContext, useSession } from './session-context';

interface InWorkspaceProps {
  readonly workspaceId: string;
  readonly children: ReactNode;
}

/** Gives the user the role that they have in a workspace in all components inside. */
export function InWorkspace({ workspaceId, children }: InWorkspaceProps): ReactNode {
  const session = useSession();
  const inside = useMemo(() => {
    const { user } = session;
    return { ...session, user: { ...user, role: roleIn(user, workspaceId) } };
  }, [session, workspaceId]);
  return <SessionContext value={inside}>{children}</SessionContext>;
}

/** The pages below `/workspaces/:workspaceId`. */
export function InWorkspaceOfPath(): ReactNode {
  const { workspaceId = '' } = useParams();
  return (
    <InWorkspace workspaceId={workspaceId}>
      <Outlet />
    </InWorkspace>
  );
}
