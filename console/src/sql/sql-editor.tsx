import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import {
  Compartment,
  EditorSelection,
  type Extension,
  Prec,
  type Transaction,
} from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderOf } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useRef, type ReactNode } from 'react';
import { CSP_NONCE } from '../nonce';
import type { SqlSchema } from './sql-calls';

export interface SqlEditorProps {
  readonly label: string;
  /** Initial text. To replace it, change `key`. */
  readonly initial: string;
  readonly placeholder: string;
  /** Tables and columns that the editor completes. */
  readonly schema: SqlSchema | undefined;
  readonly onChange: (text: string) => void;
  /** Called for Ctrl+Enter. */
  readonly onRun: () => void;
}

/** Colors with a contrast of at least 4.5 to 1, see sql.css. */
const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--sql-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--mantine-color-dimmed)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--sql-type)' },
]);

/** Of the dialects that the editor knows, that of PostgreSQL is the closest to DuckDB's. */
const languageOf = (schema: SqlSchema | undefined): Extension =>
  sql({ dialect: PostgreSQL, upperCaseKeywords: true, ...(schema && { schema }) });

/**
 * Text that replaces a selection. The browser would give it the colors of the selection as a style attribute,
 * which the Content-Security-Policy blocks. The editor may not know of the selection yet.
 */
const REPLACEMENT = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const shown = document.getSelection();
    if (inputType !== 'insertText' || data === null || view.composing) return false;
    if (!shown?.anchorNode || !shown.focusNode || shown.isCollapsed) return false;
    if (view.state.selection.ranges.length === 1) {
      const anchor = view.posAtDOM(shown.anchorNode, shown.anchorOffset);
      const head = view.posAtDOM(shown.focusNode, shown.focusOffset);
      view.dispatch({ selection: EditorSelection.single(anchor, head) });
    }
    const { main } = view.state.selection;
    const insert = (): Transaction =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    const isHandled = handlers.some((handle) => handle(view, main.from, main.to, data, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** Edits a statement, with completion of keywords, tables and columns. Tab leaves the editor. */
export function SqlEditor(props: SqlEditorProps): ReactNode {
  const { label, initial, placeholder, schema } = props;
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  const language = useRef(new Compartment());
  const placeholderSlot = useRef(new Compartment());
  const initialProps = useRef({ initial, label });
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const run = (): boolean => {
      latest.current.onRun();
      return true;
    };
    const editor = new EditorView({
      doc: initialProps.current.initial,
      ...(container.current && { parent: container.current }),
      extensions: [
        EditorView.cspNonce.of(CSP_NONCE),
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run, preventDefault: true }])),
        REPLACEMENT,
        basicSetup,
        syntaxHighlighting(COLORS),
        language.current.of([]),
        placeholderSlot.current.of([]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': initialProps.current.label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) latest.current.onChange(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => {
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    view.current?.dispatch({
      effects: [
        language.current.reconfigure(languageOf(schema)),
        placeholderSlot.current.reconfigure(placeholderOf(placeholder)),
      ],
    });
  }, [schema, placeholder]);
  return <div className="sql-editor" ref={container} />;
}
