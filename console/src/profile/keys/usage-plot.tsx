import type { ReactNode } from 'react';
import type { UsageDay } from '../../api/types';

const BAR = 10;
const GAP = 3;
const HEIGHT = 60;
/** A single call among thousands is still to be seen. */
const MIN_HEIGHT = 2;

export interface UsagePlotProps {
  readonly days: readonly UsageDay[];
  readonly label: string;
}

/** One bar a day: what was answered, and on top of it what was refused. */
export function UsagePlot({ days, label }: UsagePlotProps): ReactNode {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const width = days.length * (BAR + GAP);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * HEIGHT);
  return (
    <svg
      className="usage-plot"
      role="img"
      aria-label={`${label}: one bar a day`}
      viewBox={`0 0 ${width} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
    >
      <path
        className="usage-ground"
        d={`M0 ${HEIGHT + 0.5}H${width}`}
        vectorEffect="non-scaling-stroke"
      />
      {days.map(({ day, calls, refusals }, index) => {
        const x = index * (BAR + GAP) + GAP / 2;
        const refused = heightOf(refusals);
        const answered = heightOf(calls - refusals);
        return (
          <g key={day}>
            <rect
              className="usage-calls"
              x={x}
              y={HEIGHT - answered}
              width={BAR}
              height={answered}
            />
            <rect
              className="usage-refusals"
              x={x}
              y={HEIGHT - answered - refused}
              width={BAR}
              height={refused}
            />
          </g>
        );
      })}
    </svg>
  );
}
