import { useEffect } from 'react';

/** The focused element before the current dialogs were opened. */
let opener: Element | null = null;
let openCount = 0;
/** The last focused element, even if it has been removed since. */
let lastFocused: Element | null = null;
let pendingReturn: ReturnType<typeof setTimeout> | undefined;

/**
 * Returns the focus to the element that opened a dialog, once the last dialog has closed.
 * If that element has been removed, such as the button of a deleted item, the heading gets it,
 * unless another element has taken the focus since.
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
        const target = opener?.isConnected ? opener : isFree() && document.querySelector('h1');
        if (target instanceof HTMLElement) target.focus();
      });
    };
  }, [isOpen]);
}

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) lastFocused = target;
});

/** Returns whether nothing outside the closed dialogs has the focus. */
function isFree(): boolean {
  const { activeElement, body } = document;
  if (!activeElement || activeElement === body) return true;
  return activeElement.closest('[role="dialog"], [role="menu"]') !== null;
}

function focusedElement(): Element | null {
  const { activeElement, body } = document;
  return activeElement === body ? lastFocused : activeElement;
}

/**
 * Returns the button of a menu for an item of the menu, because items are removed when it closes.
 */
function openerOf(element: Element | null): Element | null {
  const menuButtonId = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return menuButtonId ? document.getElementById(menuButtonId) : element;
}
