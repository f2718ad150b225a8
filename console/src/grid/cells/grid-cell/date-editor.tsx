import { useRef, useState, type ReactNode, type Ref } from 'react';
import { VERBATIM } from '../../../common/verbatim';
import { gridText } from '../../../text/grid-text';
import { pickedDate, pickerValue } from '../values/unlocalized';

export interface DateEditorProps {
  readonly label: string;
  readonly type: 'date' | 'datetime';
  readonly started: string;
  readonly placeholder: string | undefined;
  readonly fieldRef: Ref<HTMLInputElement>;
  readonly onChange: (typed: string) => void;
}

/** A date as text, in the form of the API or of the locale, and the date picker of the browser. */
export function DateEditor(props: DateEditorProps): ReactNode {
  const { label, type, started, placeholder, fieldRef, onChange } = props;
  const [text, setText] = useState(started);
  const picker = useRef<HTMLInputElement>(null);
  const change = (next: string): void => {
    setText(next);
    onChange(next);
  };
  return (
    <div className="date-editor">
      <input
        ref={fieldRef}
        aria-label={label}
        className="value-editor"
        type="text"
        {...VERBATIM}
        placeholder={placeholder}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          change(value);
        }}
      />
      <button
        type="button"
        tabIndex={-1}
        aria-label={gridText.values.chooseDate(label)}
        onClick={() => picker.current?.showPicker()}
      >
        ▾
      </button>
      <input
        ref={picker}
        className="date-editor-picker"
        type={type === 'date' ? 'date' : 'datetime-local'}
        step={type === 'date' ? undefined : 1}
        tabIndex={-1}
        aria-hidden="true"
        value={pickerValue(type, text)}
        onChange={({ currentTarget: { value } }) => {
          change(pickedDate(type, value));
        }}
      />
    </div>
  );
}
