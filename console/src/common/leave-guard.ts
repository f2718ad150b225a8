import { useEffect } from 'react';

type IsUnsaved = () => boolean;

const held = new Set<IsUnsaved>();

/**
 * Makes the browser ask before it leaves the page while `isUnsaved` returns true.
 * @returns a function that removes the guard.
 */
export function guardWindow(isUnsaved: IsUnsaved): () => void {
  held.add(isUnsaved);
  return () => held.delete(isUnsaved);
}

/** Calls `guardWindow` while a component is mounted. */
export function useLeaveGuard(isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? guardWindow(() => true) : undefined), [isUnsaved]);
}

/** Whether the page has input that is not saved. */
export const hasUnsaved = (): boolean => [...held].some((isUnsaved) => isUnsaved());

window.addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
