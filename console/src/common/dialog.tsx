import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Closed by its own button alone, where what it shows is not shown again. */
  readonly isFirm?: boolean;
  readonly children: ReactNode;
}

export function Dialog({
  title,
  isOpen,
  onClose,
  isFirm = false,
  children,
}: DialogProps): ReactNode {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      centered
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
    >
      {children}
    </Modal>
  );
}
