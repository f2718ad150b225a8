import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFocusReturn } from './use-focus-return';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Closes only with its own button, if closing would lose its content. */
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps): ReactNode {
  const { title, isOpen, onClose, isFirm = false, isWide = false, children } = props;
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={isWide ? '72rem' : 'lg'}
      centered
      returnFocus={false}
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
    >
      {children}
    </Modal>
  );
}
