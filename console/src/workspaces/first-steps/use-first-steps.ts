import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readStored, store } from '../../common/browser-storage';
import { firstObjectsQuery, type FirstObjects } from '../../list/example-call';
import { keysQuery } from '../../session/keys-query';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';

/** Time between checks whether a key was used, in milliseconds. */
const CHECK_MS = 3_000;

/** What a new user has done. */
export interface FirstSteps extends FirstObjects {
  readonly hasKey: boolean;
  /** True if a key was used. */
  readonly hasCalled: boolean;
}

export interface FirstStepsState {
  /** Undefined if the steps are not displayed: dismissed, done before, or not known yet. */
  readonly steps: FirstSteps | undefined;
  readonly dismiss: () => void;
}

/**
 * Returns the first steps of a user who may take them. If all were done when the page was opened,
 * they are never displayed in this browser again, so that nothing flashes for established accounts.
 */
export function useFirstSteps(): FirstStepsState {
  const { user } = useSession();
  const stored = `first-steps ${user.id}`;
  const [isOver, setIsOver] = useState(
    () => !mayWriteSchema(user.role) || readStored(stored) !== null,
  );
  const [wasOpen, setWasOpen] = useState(false);
  const { data: objects } = useQuery({ ...firstObjectsQuery, enabled: !isOver });
  const { data: keys } = useQuery({
    ...keysQuery,
    enabled: !isOver,
    refetchInterval: ({ state }) =>
      state.data?.every(({ lastUsedAt }) => lastUsedAt === null) ? CHECK_MS : false,
  });
  const dismiss = (): void => {
    // Without storage, the choice lasts until the page is loaded again.
    store(stored, 'over');
    setIsOver(true);
  };
  if (isOver || !objects || !keys) return { steps: undefined, dismiss };
  const hasCalled = keys.some(({ lastUsedAt }) => lastUsedAt !== null);
  const isDone = objects.datagrid !== null && hasCalled;
  if (!isDone && !wasOpen) setWasOpen(true);
  if (isDone && !wasOpen) {
    dismiss();
    return { steps: undefined, dismiss };
  }
  return { steps: { ...objects, hasKey: keys.length > 0, hasCalled }, dismiss };
}
