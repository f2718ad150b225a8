import type { ReactNode } from 'react';
import { Icon } from './icon';

const WARNING = 'M12 4 2.500 20h19ZM12 10v4M12 17v.5';
const CLOUD = 'M7 18a4.500 4.500 0 0 1-.6-8.960A6 6 0 0 1 18 10a4 4 0 0 1 0 8ZM4 4l16 17';

/** A triangle, or a crossed cloud for an outage. */
export function ProblemIcon({ isOutage }: { readonly isOutage: boolean }): ReactNode {
  return <Icon path={isOutage ? CLOUD : WARNING} />;
}
