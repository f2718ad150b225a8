import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { toggled } from '../choices/choice-options';
import { setEditorKeys } from '../editor-keys';
import { useTitleStore } from './link-context';
import type { FoundRow } from './link-search';
import { isRowId } from './linked-ids';
import { useLinkSearch, type LinkSearch } from './use-link-search';

export interface LinkPickerState {
  /** The linked datagrid. */
  readonly datagridId: string;
  /** Ids of the chosen rows. */
  readonly chosen: readonly string[];
  readonly isMultiple: boolean;
  /** Text that the field starts with. */
  readonly startText?: string;
  /** True for an editor over a cell, in which Enter also ends the edit of a single link. */
  readonly isCell?: boolean;
  readonly onChange: (chosen: readonly string[]) => void;
  /** Called after the only row was chosen with the mouse, or once its search has ended. */
  readonly onDone?: () => void;
}

export interface LinkPicking {
  readonly text: string;
  readonly options: readonly FoundRow[];
  /** Index of the option that Enter takes; -1 for none. */
  readonly active: number;
  readonly note: string;
  readonly type: (text: string) => void;
  readonly take: (option: FoundRow) => void;
  readonly remove: (id: string) => void;
  /** The focus leaves the field: takes an id that was typed. */
  readonly leave: () => void;
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

/** Searches rows by the typed text, and takes them with the keys. A typed id is the first option. */
export function useLinkPicker(
  props: LinkPickerState,
  field: RefObject<HTMLElement | null>,
  isOpen: boolean,
): LinkPicking {
  const {
    datagridId,
    chosen,
    isMultiple,
    startText = '',
    isCell = false,
    onChange,
    onDone,
  } = props;
  const titles = useTitleStore();
  const [text, setText] = useState(startText);
  /** Index that the arrows have reached, until the text changes. */
  const [moved, setMoved] = useState<number>();
  /** Whether Enter was pressed before the rows for the text were found. */
  const [isWaiting, setWaiting] = useState(false);
  const search = useLinkSearch(datagridId, text, isOpen);
  const options = optionsOf(search, text.trim());
  const current = isMultiple ? -1 : options.findIndex(({ id }) => id === chosen[0]);
  const first = text.trim() === '' ? current : 0;
  const active = Math.min(moved ?? first, options.length - 1);

  const type = (next: string): void => {
    setText(next);
    setMoved(undefined);
    setWaiting(false);
  };
  const choose = ({ id, title }: FoundRow): void => {
    if (title !== null) titles.add(datagridId, id, title);
    onChange(toggled(chosen, id, isMultiple));
    type('');
  };
  const remove = (id: string): void => {
    onChange(chosen.filter((one) => one !== id));
  };
  const leave = (): void => {
    const [option] = options;
    if (option && isRowId(text.trim()) && !chosen.includes(option.id)) choose(option);
    else type('');
  };
  const take = (option: FoundRow): void => {
    choose(option);
    if (!isMultiple) onDone?.();
  };

  /** Whether the first option is certain: it was typed as an id, or the search has ended. */
  const isCertain = search.isCurrent || moved !== undefined || isRowId(text.trim());
  const onFound = useEffectEvent(() => {
    setWaiting(false);
    const option = options[active];
    if (option && isMultiple && chosen.includes(option.id)) type('');
    else if (option) take(option);
  });
  useEffect(() => {
    if (!isWaiting || !search.isCurrent) return;
    queueMicrotask(() => {
      onFound();
    });
  }, [isWaiting, search.isCurrent]);

  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const option = options[active];
    const isTyped = text.trim() !== '';
    switch (key) {
      case 'ArrowDown':
        setMoved((active + 1) % Math.max(1, options.length));
        return true;
      case 'ArrowUp':
        setMoved(active <= 0 ? options.length - 1 : active - 1);
        return true;
      case 'Enter':
        if (isTyped && !isCertain) {
          setWaiting(true);
          return true;
        }
        // A text that no row has stays in the field.
        if (!option) return isTyped;
        // Typing a chosen row does not remove it.
        if (isMultiple && chosen.includes(option.id) && moved === undefined) type('');
        else choose(option);
        return !isCell || isMultiple;
      case 'Tab':
        if (shiftKey || !isTyped) return false;
        if (!isCertain) {
          setWaiting(true);
          return true;
        }
        // Leaves the field with the row that was typed, but removes none.
        if (option && !chosen.includes(option.id)) choose(option);
        return false;
      case 'Backspace': {
        const last = chosen.at(-1);
        if (text !== '' || last === undefined) return false;
        remove(last);
        return true;
      }
      default:
        return false;
    }
  };
  const onKey = useEffectEvent(handleKey);
  useEffect(
    () => (field.current ? setEditorKeys(field.current, (event) => onKey(event)) : undefined),
    [field],
  );

  return { text, options, active, note: search.note, type, take, remove, leave, handleKey };
}

/** Returns the rows that were found, after the row whose id was typed. */
function optionsOf({ rows }: LinkSearch, text: string): readonly FoundRow[] {
  if (!isRowId(text)) return rows;
  const typed = rows.find(({ id }) => id === text) ?? { id: text, title: null };
  return [typed, ...rows.filter(({ id }) => id !== text)];
}
