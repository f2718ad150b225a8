import { notifications } from '@mantine/notifications';
import { onApiEvent, type ApiEvent } from '../api/events';
import type { Session } from '../api/types';
import { queryClient } from '../query-client';
import { beginSession, endSession, reloadSession, sessionQuery } from './session-query';
import { setSignedOutReason } from './signed-out-reason';

/** Signs the user out if any request finds the session ended or the user suspended, and notices a change of permissions. */
export function watchSession(): () => void {
  return onApiEvent(heed);
}

function heed(event: ApiEvent): void {
  const session: Session | null | undefined = queryClient.getQueryData(sessionQuery.queryKey);
  const wasSignedIn = session !== null && session !== undefined;
  if (event.kind === 'session-replaced') beginSession(event.session);
  if (event.kind === 'forbidden' && wasSignedIn) void reloadSession();
  if (event.kind !== 'session-ended' && event.kind !== 'suspended') return;
  if (event.kind === 'suspended') setSignedOutReason('suspended');
  else if (wasSignedIn) setSignedOutReason('ended');
  if (!wasSignedIn) return;
  notifications.clean();
  endSession();
}
