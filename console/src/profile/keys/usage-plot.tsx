import type { ReactNode } from 'react';
import type { UsageDay } from '../../api/types';
import { profileText } from '../../text/profile-text';
import { topOf } from './usage-scale';

const t = profileText.usage;

const BAR = 10;
const GAP = 3;
const HEIGHT = 100;
/** Keeps a single request visible among thousands, in percent of the height. */
const MIN_HEIGHT = 2;

const NUMBER = new Intl.NumberFormat(undefined, { notation: 'compact' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export interface UsagePlotProps {
  readonly days: readonly UsageDay[];
  readonly label: string;
}

/** Shows one bar per day: accepted requests, with rejected ones on top, and both axes. */
export function UsagePlot({ days, label }: UsagePlotProps): ReactNode {
  const top = topOf(Math.max(...days.map(({ requests }) => requests)));
  const width = days.length * (BAR + GAP);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / top) * HEIGHT);
  const shown = [days[0], days[Math.floor(days.length / 2)], days.at(-1)];
  return (
    <div className="usage-chart">
      <div className="usage-scale" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{NUMBER.format(value)}</span>
        ))}
      </div>
      <svg
        className="usage-plot"
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <path
            key={y}
            className="usage-line"
            d={`M0 ${y}H${width}`}
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {days.map(({ day, requests, rejections }, index) => {
          const x = index * (BAR + GAP) + GAP / 2;
          const rejected = heightOf(rejections);
          const accepted = heightOf(requests - rejections);
          const bar = { x, width: BAR };
          return (
            <g key={day}>
              <title>{t.dayCount(DAY.format(new Date(day)), requests.toLocaleString())}</title>
              <rect className="usage-requests" y={HEIGHT - accepted} height={accepted} {...bar} />
              <rect
                className="usage-rejections"
                y={HEIGHT - accepted - rejected}
                height={rejected}
                {...bar}
              />
            </g>
          );
        })}
      </svg>
      <div className="usage-days" aria-hidden="true">
        {shown.map((day, index) => (
          <span key={index}>{day && DAY.format(new Date(day.day))}</span>
        ))}
      </div>
    </div>
  );
}
