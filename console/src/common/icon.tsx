import type { ReactNode } from 'react';

export interface IconProps {
  /** Strokes, in a square of 24 units. */
  readonly path: string;
  /** Width and height in pixels. Without it, the style sheet sets them. */
  readonly size?: number;
}

/** Icon beside text or in a button with a label. Screen readers ignore it. */
export function Icon({ path, size }: IconProps): ReactNode {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
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

/** Points to the right; turned down where it opens what is below. */
export const ChevronIcon = (): ReactNode => <Icon size={14} path="M9 5l7 7-7 7" />;
