import { useEffect } from 'react';

type IsUnsaved = () => boolean;

const held = new Set<IsUnsaved>();

/**
 * Has the browser ask before the window goes, and what was typed in it, for as long as `isUnsaved`.
 *
 * @returns Ends it.
 */
export function guardWindow(isUnsaved: IsUnsaved): () => void {
  held.add(isUnsaved);
  return () => held.delete(isUnsaved);
}

/** As `guardWindow`, for as long as a part of the page stands there. */
export function useLeaveGuard(isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? guardWindow(() => true) : undefined), [isUnsaved]);
}

window.addEventListener('beforeunload', (event) => {
  if ([...held].some((isUnsaved) => isUnsaved())) event.preventDefault();
});
