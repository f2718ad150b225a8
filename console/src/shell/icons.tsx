import type { ReactNode } from 'react';

/** Icons beside text or in buttons with a label. Screen readers ignore them. */
function Icon({ path }: { readonly path: string }): ReactNode {
  return (
    <svg
      viewBox="0 0 24 24"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

export const MenuIcon = (): ReactNode => <Icon path="M4 6h16M4 12h16M4 18h16" />;

export const SunIcon = (): ReactNode => (
  <Icon path="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5" />
);

export const MoonIcon = (): ReactNode => (
  <Icon path="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />
);

export const ScreenIcon = (): ReactNode => <Icon path="M4 5h16v11H4ZM9 20h6M12 16v4" />;

export const UserIcon = (): ReactNode => (
  <Icon path="M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4 20c1.5-4 4.5-5 8-5s6.5 1 8 5" />
);
