import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import type { SessionUser } from '../../api/types';

const CommandPalette = lazy(() => import('./command-palette'));
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog'));

/** The palette, or the list of shortcuts. */
export type OpenPalette = 'palette' | 'shortcuts' | undefined;

export interface PaletteHostProps {
  readonly user: SessionUser;
  readonly open: OpenPalette;
  readonly onOpen: (open: OpenPalette) => void;
}

/** Opens the palette with Ctrl+K or ⌘K, and the list of shortcuts with `?`. */
export function PaletteHost({ user, open, onOpen }: PaletteHostProps): ReactNode {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (altKey || event.isComposing) return;
      if ((ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'k') onOpen('palette');
      else if (key === '?' && !ctrlKey && !metaKey && !isTyping(event)) onOpen('shortcuts');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [onOpen]);
  const close = (): void => {
    onOpen(undefined);
  };
  return (
    <Suspense>
      {open === 'palette' && (
        <CommandPalette
          user={user}
          onClose={close}
          onShortcuts={() => {
            onOpen('shortcuts');
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
