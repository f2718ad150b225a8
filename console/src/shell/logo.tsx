import type { ReactNode } from 'react';

/** The logo: a grid whose first cell is selected. Same shape as `theme/favicon.svg`. */
export function Logo({ size = 24 }: { readonly size?: number }): ReactNode {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="logo">
      <rect className="logo-ground" width="32" height="32" rx="8" />
      <path
        className="logo-cells"
        d="M17.5 6H24a2 2 0 0 1 2 2v6.5h-8.5ZM6 17.5h8.5V26H8a2 2 0 0 1-2-2ZM17.5 17.5H26V24a2 2 0 0 1-2 2h-6.5Z"
      />
      <path className="logo-selected" d="M8 6h6.5v8.5H6V8a2 2 0 0 1 2-2Z" />
    </svg>
  );
}
