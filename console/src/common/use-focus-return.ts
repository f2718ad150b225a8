import { useEffect } from 'react';

/** Where the focus was before the dialogs that are open now. */
let opener: Element | null = null;
let openCount = 0;
/** The last that had the focus, also where it is gone and the page itself has it. */
let lastFocused: Element | null = null;
let pendingReturn: ReturnType<typeof setTimeout> | undefined;

/**
 * Gives the focus back to what opened a dialog, once the last one is gone: one may follow another.
 * Where that is gone too, as a deleted item's button is, the page's heading takes it.
 */
export function useFocusReturn(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    if (pendingReturn === undefined && openCount === 0) opener = openerOf(focusedElement());
    clearTimeout(pendingReturn);
    pendingReturn = undefined;
    openCount += 1;
    return () => {
      openCount -= 1;
      if (openCount > 0) return;
      pendingReturn = setTimeout(() => {
        pendingReturn = undefined;
        const target = opener?.isConnected ? opener : document.querySelector('h1');
        if (target instanceof HTMLElement) target.focus();
      });
    };
  }, [isOpen]);
}

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) lastFocused = target;
});

function focusedElement(): Element | null {
  const { activeElement, body } = document;
  return activeElement === body ? lastFocused : activeElement;
}

/** The items of a menu go with it; its button stays. */
function openerOf(element: Element | null): Element | null {
  const menuButtonId = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return menuButtonId ? document.getElementById(menuButtonId) : element;
}
