import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { ProofGate } from './proof-gate';
import { SECOND_FACTOR, SessionContext, WITHOUT_SECOND_FACTOR } from './session-context';
import { sessionQuery } from './session-query';

/**
 * Redirects to the sign-in page if nobody is signed in, and back afterwards; and to the page of the second
 * factor if the account requires one that the user lacks.
 */
export function RequireSession(): ReactNode {
  const { data, error, refetch } = useQuery(sessionQuery);
  const { pathname, search } = useLocation();
  if (data?.lacksSecondFactor === true && !WITHOUT_SECOND_FACTOR.has(pathname)) {
    return <Navigate to={SECOND_FACTOR} replace />;
  }
  if (data) {
    return (
      <SessionContext value={data}>
        <Outlet />
        <ProofGate />
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
