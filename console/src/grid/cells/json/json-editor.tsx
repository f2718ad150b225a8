import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { VERBATIM } from '../../../common/verbatim';
import { gridText } from '../../../text/grid-text';
import { setEditorKeys } from '../editor-keys';
import './json-editor.css';
import { compactJson, noteOn, prettyJson } from './print-json';
import { scanJson, type JsonProblem, type JsonToken } from './scan-json';

export interface JsonEditorProps {
  readonly title: string;
  /** Id of the field, for its label. */
  readonly id?: string;
  /** The initial text. */
  readonly started: string;
  /** True for an editor over a cell, which takes the focus. */
  readonly isCell?: boolean;
  /** Receives the text without white space, or the text as it is while it is not JSON. */
  readonly onChange: (typed: string) => void;
}

/** Length above which a text is not colored, so that typing stays fast. */
const MAX_COLORED = 50_000;

/** A field for JSON with syntax highlighting and the position of the first error. Digits are kept. */
export function JsonEditor({ title, id, started, isCell, onChange }: JsonEditorProps): ReactNode {
  const [text, setText] = useState(() => prettyJson(started));
  const field = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const scan = scanJson(text);
  const problem = text.trim() === '' ? null : scan.problem;
  const change = (next: string): void => {
    setText(next);
    onChange(compactJson(next));
  };
  const format = (): void => {
    change(prettyJson(text));
  };
  const onKey = useEffectEvent(({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean => {
    const isFormat = (ctrlKey || metaKey) && shiftKey && key.toLowerCase() === 'f';
    if (isFormat) format();
    return isFormat;
  });
  const begin = useEffectEvent((element: HTMLTextAreaElement) => {
    element.focus();
    element.setSelectionRange(text.length, text.length);
    const area = element.parentElement;
    if (area) area.scrollTop = area.scrollHeight;
    // For an editor over the grid, AG Grid creates a dialog without a name.
    element.closest('[role="dialog"]')?.setAttribute('aria-label', title);
  });
  useEffect(() => {
    const { current } = field;
    if (!current) return undefined;
    if (isCell) begin(current);
    return setEditorKeys(current, (event) => onKey(event));
  }, [isCell]);

  return (
    <div className="json-editor" data-cell={isCell}>
      <div className="json-editor-area">
        <pre aria-hidden>
          {text.length > MAX_COLORED ? text : <Colored tokens={scan.tokens} problem={problem} />}
          {'\n'}
        </pre>
        <textarea
          ref={field}
          id={id}
          className="value-editor"
          aria-label={title}
          aria-invalid={problem !== null}
          aria-describedby={noteId}
          {...VERBATIM}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            change(value);
          }}
        />
      </div>
      <div className="json-editor-foot">
        <span id={noteId} role="status">
          {problem && noteOn(text, problem)}
        </span>
        <button
          type="button"
          tabIndex={isCell ? -1 : 0}
          title={gridText.json.formatKeys}
          disabled={scan.problem !== null}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
          }}
          onClick={format}
        >
          {gridText.json.format}
        </button>
      </div>
    </div>
  );
}

interface ColoredProps {
  readonly tokens: readonly JsonToken[];
  readonly problem: JsonProblem | null;
}

/** The tokens in their colors, with a mark on the one that is wrong. */
function Colored({ tokens, problem }: ColoredProps): ReactNode {
  let start = 0;
  return tokens.map(({ kind, text }) => {
    const at = start;
    start += text.length;
    if (kind === 'space') return text;
    const isWrong = at === problem?.at;
    return (
      <span key={at} className={`json-${kind}`} data-wrong={isWrong ? true : undefined}>
        {text}
      </span>
    );
  });
}
