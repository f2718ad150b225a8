import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/text';
import { MoonIcon, ScreenIcon, SunIcon } from './icons';

const SCHEMES = [
  { value: 'light', Picture: SunIcon },
  { value: 'dark', Picture: MoonIcon },
  { value: 'auto', Picture: ScreenIcon },
] as const;

export function ColorSchemeButton(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[2];
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={text.frame.colorsAre(text.frame.schemes[current.value])}
        >
          <current.Picture />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={text.frame.colors}>
        {SCHEMES.map(({ value, Picture }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={value === colorScheme}
            leftSection={<Picture />}
            onClick={() => {
              setColorScheme(value);
            }}
          >
            {text.frame.schemes[value]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
