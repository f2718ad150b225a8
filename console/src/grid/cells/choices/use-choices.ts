import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { messageOf } from '../../../api/api-error';
import { setEditorKeys } from '../editor-keys';
import { choiceOptions, toggled, type ChoiceOption } from './choice-options';

export interface ChoicesProps {
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
  readonly isMultiple: boolean;
  /** Text that the field starts with. */
  readonly startText?: string;
  /** True for an editor over a cell, in which Enter also ends the edit of a single choice. */
  readonly isCell?: boolean;
  readonly onChange: (chosen: readonly string[]) => void;
  /** Adds a choice to the column. Undefined for users who may not change columns. */
  readonly onAdd?: ((choice: string) => Promise<void>) | undefined;
  /** Called after the only choice was made with the mouse, or added. */
  readonly onDone?: () => void;
}

/** State of a field of choices. */
export interface Choices {
  readonly text: string;
  readonly options: readonly ChoiceOption[];
  /** Index of the option that Enter takes; -1 for none. */
  readonly active: number;
  readonly isAdding: boolean;
  readonly problem: string;
  readonly type: (text: string) => void;
  readonly take: (option: ChoiceOption) => void;
  readonly remove: (choice: string) => void;
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

/** Filters the choices by the typed text, and takes them with the keys. */
export function useChoices(props: ChoicesProps, field: RefObject<HTMLElement | null>): Choices {
  const { choices, chosen, isMultiple, startText = '', isCell = false } = props;
  const { onChange, onAdd, onDone } = props;
  const [text, setText] = useState(startText);
  /** Index that the arrows have reached, until the text changes. */
  const [moved, setMoved] = useState<number>();
  const [isAdding, setAdding] = useState(false);
  const [problem, setProblem] = useState('');
  const options = choiceOptions(choices, chosen, text, onAdd !== undefined);
  const current = isMultiple ? -1 : options.findIndex((one) => one.choice === chosen[0]);
  const first = text.trim() === '' ? current : 0;
  const active = Math.min(moved ?? first, options.length - 1);

  const type = (next: string): void => {
    setText(next);
    setMoved(undefined);
    setProblem('');
  };
  const choose = (choice: string): void => {
    onChange(toggled(chosen, choice, isMultiple));
    type('');
  };
  const remove = (choice: string): void => {
    if (!isAdding) onChange(chosen.filter((one) => one !== choice));
  };
  const add = async (choice: string): Promise<void> => {
    setAdding(true);
    setProblem('');
    try {
      await onAdd?.(choice);
      choose(choice);
      if (!isMultiple) onDone?.();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setAdding(false);
    }
  };

  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const option = options[active];
    if (isAdding) return key !== 'Escape';
    switch (key) {
      case 'ArrowDown':
        setMoved((active + 1) % Math.max(1, options.length));
        return true;
      case 'ArrowUp':
        setMoved(active <= 0 ? options.length - 1 : active - 1);
        return true;
      case 'Enter':
        if (!option) return false;
        if (option.kind === 'add') void add(option.choice);
        // Typing a chosen value does not remove it.
        else if (isMultiple && option.isChosen && moved === undefined) type('');
        else choose(option.choice);
        return !isCell || isMultiple || option.kind === 'add';
      case 'Tab':
        // Leaves the field with the choice that was typed, but removes none.
        if (!shiftKey && option?.kind === 'choice' && !option.isChosen) choose(option.choice);
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

  return {
    text,
    options,
    active,
    isAdding,
    problem,
    type,
    take: (option) => {
      if (isAdding) return;
      if (option.kind === 'add') void add(option.choice);
      else {
        choose(option.choice);
        if (!isMultiple) onDone?.();
      }
    },
    remove,
    handleKey,
  };
}
