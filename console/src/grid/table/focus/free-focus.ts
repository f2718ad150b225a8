import { FRAMES } from './focus-cell';

/**
 * Runs `focus` once `isReady` and menus and dialogs are closed, which takes some frames. Does nothing
 * if the focus has moved to something else than the page in the meantime: a dialog whose opener is
 * gone gives it to the heading.
 */
export function whenFocusIsFree(focus: () => void, isReady = alwaysReady, frames = FRAMES): void {
  if (frames === 0) return;
  const { activeElement } = document;
  if (!isReady() || activeElement?.closest('[role="menu"], [role="dialog"]')) {
    requestAnimationFrame(() => {
      whenFocusIsFree(focus, isReady, frames - 1);
    });
    return;
  }
  if (!activeElement || ['BODY', 'H1'].includes(activeElement.tagName)) focus();
}

const alwaysReady = (): boolean => true;
