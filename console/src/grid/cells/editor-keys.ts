/** Handles a key before the grid. Returns true if the grid must ignore it. */
export type EditorKeys = (event: KeyboardEvent) => boolean;

const handlers = new WeakMap<EventTarget, EditorKeys>();

/**
 * Lets a field of an editor handle keys that the grid would take, such as Enter and the arrows. A
 * handler can change the value and return false, so that the grid ends the edit with that value.
 * @returns a function that removes the handler.
 */
export function setEditorKeys(field: HTMLElement, keys: EditorKeys): () => void {
  handlers.set(field, keys);
  return () => handlers.delete(field);
}

/** Returns true if the field with the focus has handled the key. */
export function isTakenByEditor(event: KeyboardEvent): boolean {
  return (event.target && handlers.get(event.target)?.(event)) ?? false;
}
