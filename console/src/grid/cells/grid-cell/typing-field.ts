import { gridText } from '../../../text/grid-text';

/** The parts of the field for the style sheet: a composition is shown over the cell. */
const PART = 'typing-field';
const COMPOSING = 'typing-field-composing';

const INPUTS = ['input', 'compositionstart', 'compositionend'] as const;

/** Fields by their cells. */
const fields = new WeakMap<EventTarget, HTMLTextAreaElement>();

/**
 * Receives text that arrives without keys: from input methods, dictation and pickers of emojis. Browsers
 * give it only to a field with the focus, so each cell that gets the focus gives it to a hidden field in a
 * shadow tree. For the grid, the cell then still has the focus, and is the target of events.
 * @param isOpen Whether a cell takes text.
 * @param onText Called with a cell and the text for it.
 * @returns a function that stops it.
 */
export function followTexts(
  root: HTMLElement,
  isOpen: (cell: HTMLElement) => boolean,
  onText: (cell: HTMLElement, text: string) => void,
): () => void {
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || !target.matches('.ag-cell') || !isOpen(target)) return;
    const field = fields.get(target) ?? addField(target);
    field.setAttribute('aria-label', gridText.values.typing(target.textContent));
    field.focus({ preventScroll: true });
  };
  // React updates the page at once only after events that are heard outside of a shadow tree.
  const onInput = (event: Event): void => {
    const { target, type } = event;
    const field = target && fields.get(target);
    if (!field || !(target instanceof HTMLElement)) return;
    const isComposing =
      type === 'compositionstart' || (event instanceof InputEvent && event.isComposing);
    field.part.toggle(COMPOSING, isComposing);
    if (isComposing) return;
    const { value } = field;
    field.value = '';
    if (value.trim() !== '') onText(target, value);
  };
  root.addEventListener('focusin', onFocus);
  for (const type of INPUTS) root.addEventListener(type, onInput);
  return () => {
    root.removeEventListener('focusin', onFocus);
    for (const type of INPUTS) root.removeEventListener(type, onInput);
  };
}

/** Returns whether a key belongs to an input method. */
export function isOfInputMethod({ isComposing, key }: KeyboardEvent): boolean {
  return isComposing || key === 'Process' || key === 'Dead';
}

function addField(cell: HTMLElement): HTMLTextAreaElement {
  const field = document.createElement('textarea');
  field.part.value = PART;
  field.tabIndex = -1;
  field.spellcheck = false;
  field.autocapitalize = 'off';
  // Keeps the keyboard of a touch screen closed until the editor opens.
  field.inputMode = 'none';
  const shadow = cell.attachShadow({ mode: 'closed' });
  shadow.append(document.createElement('slot'), field);
  fields.set(cell, field);
  return field;
}
