import { useEffect, useState } from 'react';

/** Long enough to see that something else is under the pointer than a moment ago. */
const SETTLING_MS = 800;

/**
 * Whether the page has had the focus for a moment. Another page can come up under the second click of a double click
 * that was meant for a window above it.
 */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      clearTimeout(timer);
      setSettled(false);
      if (!document.hasFocus()) return;
      timer = setTimeout(() => {
        setSettled(true);
      }, SETTLING_MS);
    };
    begin();
    window.addEventListener('focus', begin);
    window.addEventListener('blur', begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', begin);
      window.removeEventListener('blur', begin);
    };
  }, []);
  return isSettled;
}
