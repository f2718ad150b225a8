/** Keys that undo and redo actions while the focus is outside the grid, which has keys of its own. */
export function followUndoKeys(
  grid: HTMLElement,
  act: (action: 'undo' | 'redo') => void,
): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const action = isElsewhere(grid, event) ? undefined : actionOf(event);
    if (!action) return;
    event.preventDefault();
    act(action);
  };
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('keydown', onKey);
  };
}

/** Whether a key is for a field or a dialog, or for the grid. */
function isElsewhere(grid: HTMLElement, { target }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || grid.contains(target)) return true;
  return target.closest('input, textarea, select, [role="dialog"]') !== null;
}

function actionOf(event: KeyboardEvent): 'undo' | 'redo' | undefined {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (!(ctrlKey || metaKey) || altKey) return undefined;
  if (key.toLowerCase() === 'z') return shiftKey ? 'redo' : 'undo';
  return key.toLowerCase() === 'y' ? 'redo' : undefined;
}
