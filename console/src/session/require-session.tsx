import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { SessionContext } from './session-context';
import { sessionQuery } from './session-query';

const SECOND_FACTOR = '/profile/second-factor';
/** Pages that a user may open who lacks the second factor that the account requires. */
const WITHOUT_FACTOR = [SECOND_FACTOR, '/profile/sessions', '/profile/password'];

/**
 * Redirects to the sign-in page if nobody is signed in, and back afterwards; and to the page of the second
 * factor if the account requires one that the user lacks.
 */
export function RequireSession(): ReactNode {
  const { data, error, refetch } = useQuery(sessionQuery);
  const { pathname, search } = useLocation();
  if (data?.lacksFactor === true && !WITHOUT_FACTOR.includes(pathname)) {
    return <Navigate to={SECOND_FACTOR} replace />;
  }
  if (data) {
    return (
      <SessionContext value={data}>
        <Outlet />
      </SessionContext>
    );
  }
  if (data === null) return <Navigate to="/sign-in" replace state={{ from: pathname + search }} />;
  if (!error) return <Loading />;
  return (
    <Page title={text.frame.unavailable}>
      <Problem error={error} onRetry={() => void refetch()} />
    </Page>
  );
}
