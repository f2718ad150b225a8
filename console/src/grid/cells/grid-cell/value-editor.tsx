import type { CustomCellEditorProps } from 'ag-grid-react';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { useLeaveGuard } from '../../../common/leave-guard';
import { COLUMN_TYPES, keyboardOf } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { ChoiceInput } from '../choices/choice-input';
import { JsonEditor } from '../json/json-editor';
import type { KnownRow } from '../known-row';
import { LinkInput } from '../links/link-input';
import { withLineEndsOf } from '../values/shown-value';
import { DateEditor } from './date-editor';
import { BOOLEANS, startText, startValue } from './start-value';

interface Props extends CustomCellEditorProps<KnownRow, string> {
  readonly of: Column;
}

/** Length above which a text is edited in a larger field over the neighboring cells. */
const LONG = 40;

/** Returns true if the editor of a value is larger than its cell, and lies over its neighbors. */
export function isLarge({ type }: Column, value: string): boolean {
  const { editor, notation, hasChoices } = COLUMN_TYPES[type];
  if (notation === 'json' || hasChoices || editor === 'rows') return true;
  return editor === 'area' && (value.length > LONG || value.includes('\n'));
}

/** Edits one cell as text. The service validates the input. */
export function ValueEditor(props: Props): ReactNode {
  const { initialValue, value, onValueChange, eventKey, of: column } = props;
  const initial = typeof initialValue === 'string' ? initialValue : '';
  const started = startValue(column, initial, eventKey);
  useLeaveGuard((value ?? '') !== initial);
  const field = useRef<HTMLElement>(null);
  // The editor keeps its own text.
  const begin = useEffectEvent(() => {
    if (started !== initial) onValueChange(started);
    const { current } = field;
    current?.focus();
    if (current instanceof HTMLInputElement || current instanceof HTMLTextAreaElement) {
      current.setSelectionRange(started.length, started.length);
      // The caret is in view.
      current.scrollTop = current.scrollHeight;
      current.scrollLeft = current.scrollWidth;
    }
  });
  useEffect(() => {
    begin();
  }, []);
  // For an editor over the grid, AG Grid creates a dialog without a name.
  const hold = (element: HTMLElement | null): void => {
    field.current = element;
    element?.closest('[role="dialog"]')?.setAttribute('aria-label', column.title);
  };
  const common = { 'aria-label': column.title, className: 'value-editor' };

  const { editor, placeholder, hasChoices } = COLUMN_TYPES[column.type];
  if (hasChoices || editor === 'rows') {
    const Picker = hasChoices ? ChoiceInput : LinkInput;
    return (
      <Picker
        column={column}
        typed={value ?? ''}
        startText={startText(eventKey)}
        isCell
        onChange={onValueChange}
        onDone={() => {
          const { api, rowIndex, node } = props;
          props.stopEditing();
          api.setFocusedCell(rowIndex, column.key, node.rowPinned);
        }}
      />
    );
  }
  if (editor === 'choice') {
    return (
      <select
        {...common}
        ref={hold}
        defaultValue={started}
        onChange={({ currentTarget }) => {
          onValueChange(currentTarget.value);
        }}
      >
        <option value="">{gridText.values.none}</option>
        {BOOLEANS.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (column.type === 'json') {
    return <JsonEditor title={column.title} started={started} isCell onChange={onValueChange} />;
  }
  if (column.type === 'date' || column.type === 'datetime') {
    return (
      <DateEditor
        label={column.title}
        type={column.type}
        started={started}
        placeholder={placeholder}
        fieldRef={hold}
        onChange={onValueChange}
      />
    );
  }
  if (editor === 'area') {
    const isLong = isLarge(column, initial);
    return (
      <textarea
        {...common}
        className={isLong ? 'value-editor value-editor-long' : 'value-editor'}
        ref={hold}
        rows={isLong ? 8 : 1}
        defaultValue={started}
        onChange={({ currentTarget: { value } }) => {
          onValueChange(withLineEndsOf(initial, value));
        }}
      />
    );
  }
  return (
    <input
      {...common}
      ref={hold}
      type="text"
      placeholder={placeholder}
      {...keyboardOf(column.type)}
      defaultValue={started}
      onChange={({ currentTarget }) => {
        onValueChange(currentTarget.value);
      }}
    />
  );
}
