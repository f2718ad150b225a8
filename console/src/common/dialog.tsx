import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useFocusReturn } from './use-focus-return';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Closes only with its own button, if closing would lose its content. */
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
  /** True for a question of a few lines, which does not fill the screen of a phone. */
  readonly isShort?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps): ReactNode {
  const { title, isOpen, onClose, isFirm = false, isWide = false, isShort = false } = props;
  const isPhone = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
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
    </Modal>
  );
}
