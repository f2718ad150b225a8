import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { datagridAddress } from '../../../datagrids/datagrid-link';
import { linksText } from '../../../text/links-text';
import '../choices/choice-color.css';
import '../choices/choice-picker.css';
import './link-chips.css';
import { useLinkTitles } from './link-context';
import { useLinkPicker, type LinkPickerState } from './use-link-picker';

const t = linksText.picker;

/** Maximum length of a text that rows are searched by. */
const MAX_TEXT = 200;

export interface LinkPickerProps extends LinkPickerState {
  readonly title: string;
  /** Id of the field, for its label. */
  readonly id?: string;
  /** Whether the chips are links to the rows, where leaving the page loses no input. */
  readonly mayOpen?: boolean;
  readonly isInvalid?: boolean;
  /** Gets the focus when its dialog opens. */
  readonly isStart?: boolean;
}

/**
 * The linked rows as chips, a field that searches rows, and the list of those that were found. Over a
 * cell, it takes the focus, and the list is always open.
 */
export function LinkPicker(props: LinkPickerProps): ReactNode {
  const { title, id, datagridId, chosen, isMultiple } = props;
  const { isCell = false, isInvalid = false, isStart = false } = props;
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const noteId = useId();
  const [isShown, setShown] = useState(false);
  const isOpen = isCell || isShown;
  const picker = useLinkPicker(
    {
      ...props,
      onChange: (ids) => {
        props.onChange(ids);
        if (!isMultiple) setShown(false);
      },
    },
    field,
    isOpen,
  );
  const titles = useLinkTitles();
  const { text, options, active, note } = picker;
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
      className="choice-picker link-picker"
      data-cell={isCell}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!isCell && !currentTarget.contains(relatedTarget)) {
          setShown(false);
          picker.leave();
        }
      }}
    >
      <div className="choice-picker-field">
        {chosen.map((rowId) => {
          const name = titles.titleOf(datagridId, rowId) ?? rowId;
          return (
            <span key={rowId} className="cell-chip link-chip">
              {props.mayOpen ? (
                <Link className="link-chip-text" to={datagridAddress(datagridId, rowId)}>
                  {name}
                </Link>
              ) : (
                <span className="link-chip-text">{name}</span>
              )}
              <button
                type="button"
                tabIndex={-1}
                aria-label={t.remove(name)}
                onMouseDown={keepFocus}
                onClick={() => {
                  picker.remove(rowId);
                }}
              >
                ×
              </button>
            </span>
          );
        })}
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
          aria-describedby={isOpen && note !== '' ? noteId : undefined}
          aria-invalid={isInvalid}
          // Escape closes the list first, and then the dialog.
          data-mantine-stop-propagation={!isCell && isShown}
          {...(isStart && { 'data-autofocus': true })}
          autoComplete="off"
          maxLength={MAX_TEXT}
          placeholder={t.find}
          value={text}
          onFocus={() => {
            setShown(true);
          }}
          onClick={() => {
            setShown(true);
          }}
          onChange={({ currentTarget: { value } }) => {
            picker.type(value);
            setShown(true);
          }}
          onKeyDown={(event) => {
            // Sends the form.
            if (!isOpen && event.key === 'Enter') return;
            if (!isCell && event.key === 'Escape') setShown(false);
            if (event.key.startsWith('Arrow')) setShown(true);
            if (!event.nativeEvent.isComposing && picker.handleKey(event.nativeEvent)) {
              event.preventDefault();
              event.stopPropagation();
            }
          }}
        />
      </div>
      <div className="link-picker-list" hidden={!isOpen}>
        <ul
          id={listId}
          role="listbox"
          aria-label={t.list(title)}
          aria-multiselectable={isMultiple}
          hidden={options.length === 0}
        >
          {options.map((option, at) => (
            <li
              key={option.id}
              id={`${listId}-${at}`}
              role="option"
              aria-selected={chosen.includes(option.id)}
              data-active={at === active}
              onMouseDown={keepFocus}
              onClick={() => {
                picker.take(option);
              }}
            >
              <span className="link-option-title">{option.title ?? t.takeId(option.id)}</span>
              {option.title !== null && <span className="link-option-id">{option.id}</span>}
            </li>
          ))}
        </ul>
        <p id={noteId} className="link-picker-note" role="status">
          {note}
        </p>
      </div>
    </div>
  );
}

/** The field keeps the focus while the mouse chooses. */
function keepFocus(event: { preventDefault: () => void }): void {
  event.preventDefault();
}
