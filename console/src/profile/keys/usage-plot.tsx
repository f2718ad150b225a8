import type { ReactNode } from 'react';
import type { UsageDay } from '../../api/types';

const BAR = 10;
const GAP = 3;
const HEIGHT = 60;
/** Keeps a single request visible among thousands. */
const MIN_HEIGHT = 2;

export interface UsagePlotProps {
  readonly days: readonly UsageDay[];
  readonly label: string;
}

/** Shows one bar per day: accepted requests, with rejected ones on top. */
export function UsagePlot({ days, label }: UsagePlotProps): ReactNode {
  const maxRequests = Math.max(1, ...days.map(({ requests }) => requests));
  const width = days.length * (BAR + GAP);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / maxRequests) * HEIGHT);
  return (
    <svg
      className="usage-plot"
      role="img"
      aria-label={`${label}: one bar per day`}
      viewBox={`0 0 ${width} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
    >
      <path
        className="usage-ground"
        d={`M0 ${HEIGHT + 0.5}H${width}`}
        vectorEffect="non-scaling-stroke"
      />
      {days.map(({ day, requests, rejections }, index) => {
        const x = index * (BAR + GAP) + GAP / 2;
        const rejected = heightOf(rejections);
        const accepted = heightOf(requests - rejections);
        return (
          <g key={day}>
            <rect
              className="usage-requests"
              x={x}
              y={HEIGHT - accepted}
              width={BAR}
              height={accepted}
            />
            <rect
              className="usage-rejections"
              x={x}
              y={HEIGHT - accepted - rejected}
              width={BAR}
              height={rejected}
            />
          </g>
        );
      })}
    </svg>
  );
}
