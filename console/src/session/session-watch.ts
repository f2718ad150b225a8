import { notifications } from '@mantine/notifications';
import { onApiEvent } from '../api/events';
import { queryClient } from '../query-client';
import { endSession, sessionQuery } from './session-query';
import { setSignedOutReason } from './signed-out-reason';

/** Shows out whoever's session ended or who was suspended, whichever call finds it out. */
export function watchSession(): () => void {
  return onApiEvent(({ kind }) => {
    if (kind !== 'session-ended' && kind !== 'suspended') return;
    const wasSignedIn = Boolean(queryClient.getQueryData(sessionQuery.queryKey));
    if (kind === 'suspended') setSignedOutReason('suspended');
    else if (wasSignedIn) setSignedOutReason('ended');
    if (!wasSignedIn) return;
    notifications.clean();
    endSession();
  });
}
