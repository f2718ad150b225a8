import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import type { SessionUser } from '../../api/types';

const CommandPalette = lazy(() => import('./command-palette'));
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog'));

/** Opens the palette with Ctrl+K or ⌘K, and the list of shortcuts with `?`. */
export function PaletteHost({ user }: { readonly user: SessionUser }): ReactNode {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (altKey || event.isComposing) return;
      if ((ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'k') setOpen('palette');
      else if (key === '?' && !ctrlKey && !metaKey && !isTyping(event)) setOpen('shortcuts');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  const close = (): void => {
    setOpen(undefined);
  };
  return (
    <Suspense>
      {open === 'palette' && (
        <CommandPalette
          user={user}
          onClose={close}
          onShortcuts={() => {
            setOpen('shortcuts');
          }}
        />
      )}
      {open === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}

/** Whether a key goes into a field, or into a cell of the grid, where typing replaces the value. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select, .ag-cell');
}
