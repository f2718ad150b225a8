import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { MoonIcon, ScreenIcon, SunIcon } from './icons';

const SCHEMES = [
  { value: 'light', label: 'Light', Picture: SunIcon },
  { value: 'dark', label: 'Dark', Picture: MoonIcon },
  { value: 'auto', label: 'System', Picture: ScreenIcon },
] as const;

export function ColorSchemeButton(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[2];
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Colors: ${current.label}`}>
          <current.Picture />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Colors">
        {SCHEMES.map(({ value, label, Picture }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={value === colorScheme}
            leftSection={<Picture />}
            onClick={() => {
              setColorScheme(value);
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
