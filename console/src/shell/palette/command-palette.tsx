import { Modal, TextInput } from '@mantine/core';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { SessionUser } from '../../api/types';
import { useFocusReturn } from '../../common/use-focus-return';
import { text } from '../../text/text';
import { placesOf, targetOf } from '../places';
import { useAllDatagrids, useWorkspaceNodes } from '../tree-queries';
import { matching, type Entry } from './entries';
import './palette.css';

interface Props {
  readonly user: SessionUser;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Entry that opens the list of shortcuts. */
const SHORTCUTS = 'shortcuts';

/** Dialog that finds pages, workspaces and datagrids by name. */
export default function CommandPalette({ user, onClose, onShortcuts }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const navigate = useNavigate();
  const entries = useEntries(user);
  const shown = matching(entries, typed);
  const current = shown[Math.min(active, shown.length - 1)];
  useFocusReturn(true);

  const open = ({ id, to, isDocument }: Entry): void => {
    if (id === SHORTCUTS) {
      onShortcuts();
      return;
    }
    onClose();
    if (isDocument) window.location.assign(to);
    else void navigate(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && shown.length > 0) {
      event.preventDefault();
      setActive((Math.min(active, shown.length - 1) + step + shown.length) % shown.length);
    } else if (event.key === 'Enter' && current && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(current);
    }
  };
  const optionId = (entry: Entry): string => `${listId}-${entry.id}`;
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      returnFocus={false}
      padding={0}
      yOffset="12vh"
      attributes={{ content: { 'aria-label': text.palette.title } }}
    >
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current && optionId(current)}
        aria-label={text.palette.find}
        placeholder={text.palette.find}
        size="md"
        variant="unstyled"
        className="palette-input"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={text.palette.results} className="palette-list">
        {shown.map((entry) => (
          <div
            key={entry.id}
            id={optionId(entry)}
            role="option"
            aria-selected={entry === current}
            className="palette-option"
            onMouseMove={() => {
              setActive(shown.indexOf(entry));
            }}
            onClick={() => {
              open(entry);
            }}
          >
            <span className="palette-name">{entry.name}</span>
            <span className="palette-note">{entry.note}</span>
          </div>
        ))}
      </div>
      <p role="status" className="palette-status">
        {shown.length === 0 ? text.palette.none : ''}
      </p>
    </Modal>
  );
}

function useEntries(user: SessionUser): readonly Entry[] {
  const { pathname } = useLocation();
  const workspaces = useWorkspaceNodes().data?.nodes ?? [];
  const datagrids = useAllDatagrids(workspaces);
  return [
    ...placesOf(user).map((place) => ({
      id: place.to,
      name: place.label,
      note: text.palette.page,
      to: targetOf(place, pathname),
      ...(place.isDocument ? { isDocument: true } : {}),
    })),
    ...datagrids.map(({ id, name, workspace }) => ({
      id,
      name,
      note: workspace,
      to: `/datagrids/${id}`,
    })),
    ...workspaces.map(({ id, name }) => ({
      id,
      name,
      note: text.palette.workspace,
      to: `/workspaces/${id}`,
    })),
    { id: SHORTCUTS, name: text.shortcuts.title, note: text.palette.help, to: '' },
  ];
}
