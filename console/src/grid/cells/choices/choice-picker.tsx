import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { gridText } from '../../../text/grid-text';
import { chipClasses } from './choice-color';
import './choice-color.css';
import type { ChoiceOption } from './choice-options';
import './choice-picker.css';
import { useChoices, type ChoicesProps } from './use-choices';

export interface ChoicePickerProps extends ChoicesProps {
  readonly title: string;
  /** Id of the field, for its label. */
  readonly id?: string;
}

/**
 * The chosen values as chips, a field that filters the choices, and their list. Over a cell, it takes
 * the focus, and the list is always open.
 */
export function ChoicePicker(props: ChoicePickerProps): ReactNode {
  const { title, id, choices, chosen, isMultiple, isCell = false } = props;
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [hasFocus, setFocus] = useState(false);
  const picker = useChoices(props, field);
  const { text, options, active, isAdding, problem } = picker;
  const isOpen = isCell || hasFocus;
  useEffect(() => {
    if (!isCell) return;
    field.current?.focus();
    // For an editor over the grid, AG Grid creates a dialog without a name.
    field.current?.closest('[role="dialog"]')?.setAttribute('aria-label', title);
  }, [isCell, title]);
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, active]);

  return (
    <div
      className="choice-picker"
      data-cell={isCell}
      onFocus={() => {
        setFocus(true);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!isCell && !currentTarget.contains(relatedTarget)) {
          setFocus(false);
          picker.type('');
        }
      }}
    >
      <div className="choice-picker-field">
        {chosen.map((choice) => (
          <span key={choice} className={chipClasses(choices, choice)}>
            {choice}
            <button
              type="button"
              tabIndex={-1}
              aria-label={gridText.choices.remove(choice)}
              onMouseDown={keepFocus}
              onClick={() => {
                picker.remove(choice);
              }}
            >
              ×
            </button>
          </span>
        ))}
        <input
          ref={field}
          id={id}
          className="value-editor"
          role="combobox"
          aria-label={title}
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && active >= 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          placeholder={gridText.choices.find}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            if (!isAdding) picker.type(value);
          }}
          onKeyDown={(event) => {
            if (!event.nativeEvent.isComposing && picker.handleKey(event.nativeEvent)) {
              event.preventDefault();
              event.stopPropagation();
            }
          }}
        />
      </div>
      {problem !== '' && (
        <p className="choice-picker-problem" role="alert">
          {problem}
        </p>
      )}
      <ul
        id={listId}
        role="listbox"
        aria-label={gridText.choices.list(title)}
        aria-multiselectable={isMultiple}
        hidden={!isOpen}
      >
        {options.map((option, at) => (
          <li
            key={`${option.kind} ${option.choice}`}
            id={`${listId}-${at}`}
            role="option"
            aria-selected={option.kind === 'choice' && option.isChosen}
            data-active={at === active}
            onMouseDown={keepFocus}
            onClick={() => {
              picker.take(option);
            }}
          >
            <OptionText option={option} choices={choices} isAdding={isAdding} />
          </li>
        ))}
        {options.length === 0 && (
          <li role="option" aria-selected={false} aria-disabled>
            {gridText.choices.none}
          </li>
        )}
      </ul>
    </div>
  );
}

interface OptionTextProps {
  readonly option: ChoiceOption;
  readonly choices: readonly string[];
  readonly isAdding: boolean;
}

function OptionText({ option, choices, isAdding }: OptionTextProps): ReactNode {
  if (option.kind === 'add') {
    return isAdding ? gridText.choices.adding(option.choice) : gridText.choices.add(option.choice);
  }
  return <span className={chipClasses(choices, option.choice)}>{option.choice}</span>;
}

/** The field keeps the focus while the mouse chooses. */
function keepFocus(event: { preventDefault: () => void }): void {
  event.preventDefault();
}
