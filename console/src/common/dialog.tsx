import { Button, Group, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRef, useState, type ReactNode } from 'react';
import { text } from '../text/text';
import { useFocusReturn } from './use-focus-return';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Closes only with its own button, if closing would lose its content. */
  readonly isFirm?: boolean;
  /** Whether something was entered. Then Escape, × and a click outside ask before they discard it. */
  readonly hasInput?: boolean;
  readonly isWide?: boolean;
  /** True for a question of a few lines, which does not fill the screen of a phone. */
  readonly isShort?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps): ReactNode {
  const { title, isOpen, onClose, isFirm = false, isWide = false, isShort = false } = props;
  const isPhone = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
  const [isAsking, setAsking] = useState(false);
  /** The field that had the focus before the question. */
  const asked = useRef<Element | null>(null);
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={() => {
        if (props.hasInput !== true) {
          onClose();
          return;
        }
        if (!isAsking) asked.current = document.activeElement;
        setAsking(true);
      }}
      title={title}
      size={isWide ? '72rem' : 'lg'}
      fullScreen={isPhone && !isShort}
      centered
      returnFocus={false}
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
    >
      {props.children}
      {isAsking && (
        // Mounted only now, so that the Escape that asks does not answer.
        <DiscardQuestion
          onDiscard={onClose}
          onKeep={() => {
            setAsking(false);
            if (asked.current instanceof HTMLElement) asked.current.focus();
          }}
        />
      )}
    </Modal>
  );
}

interface DiscardQuestionProps {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}

/** Asks whether to discard the input of a dialog. Escape keeps it. */
function DiscardQuestion({ onDiscard, onKeep }: DiscardQuestionProps): ReactNode {
  return (
    <Modal opened returnFocus={false} onClose={onKeep} title={text.discard.title} centered>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onKeep}>
          {text.discard.keep}
        </Button>
        <Button color="red.9" onClick={onDiscard}>
          {text.discard.discard}
        </Button>
      </Group>
    </Modal>
  );
}
