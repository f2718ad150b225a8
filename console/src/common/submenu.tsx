import { Menu } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';

export interface SubmenuProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly Value[];
  readonly labels: Readonly<Record<Value, string>>;
  readonly current: Value | null | undefined;
  readonly onChoose: (value: Value) => void;
  /** Further items. */
  readonly children?: ReactNode;
}

/** An item of a menu that opens a list of choices beside it, with the arrow key, Enter or a click. */
export function Submenu<Value extends string>(props: SubmenuProps<Value>): ReactNode {
  const { label, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu.Sub opened={isOpen} onChange={setOpen} middlewares={{ flip: true, shift: true }}>
      <Menu.Sub.Target>
        <Menu.Sub.Item
          onKeyDown={openWithEnter}
          onClick={() => {
            setOpen(true);
          }}
        >
          {label}
        </Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        <ChoiceItems {...props} />
        {children}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

type ChoiceItemsProps<Value extends string> = Omit<SubmenuProps<Value>, 'label' | 'children'>;

/** Items of a menu of which one is the current choice. */
export function ChoiceItems<Value extends string>(props: ChoiceItemsProps<Value>): ReactNode {
  const { choices, labels, current, onChoose } = props;
  return choices.map((value) => (
    <Menu.Item
      key={value}
      aria-current={value === current}
      fw={value === current ? 700 : undefined}
      onClick={() => {
        onChoose(value);
      }}
    >
      {labels[value]}
    </Menu.Item>
  ));
}

/** The library opens a submenu and moves the focus into it only with the arrow key. */
function openWithEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  const arrow = new window.KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
  event.currentTarget.dispatchEvent(arrow);
}
