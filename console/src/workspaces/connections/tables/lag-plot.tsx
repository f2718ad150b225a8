import type { ReactNode } from 'react';
import { connectionsText } from '../../../text/connections-text';
import { durationText, type LagPoint } from '../progress';

const WIDTH = 120;
const HEIGHT = 28;
/** Lag at the top of an otherwise flat plot, so that seconds do not look like an outage. */
const MIN_TOP_SECONDS = 10;

export interface LagPlotProps {
  readonly points: readonly LagPoint[];
  /** Name of the table. */
  readonly name: string;
}

/** Plots the lag of a table since the page was opened. */
export function LagPlot({ points, name }: LagPlotProps): ReactNode {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first === last) return <div className="lag-plot" />;
  const most = Math.max(...points.map(({ lagSeconds }) => lagSeconds));
  const span = last.atMs - first.atMs;
  const top = Math.max(MIN_TOP_SECONDS, most);
  const line = points.map(({ atMs, lagSeconds }) => {
    const x = ((atMs - first.atMs) / span) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - (lagSeconds / top) * (HEIGHT - 2) - 1).toFixed(1)}`;
  });
  const summary = connectionsText.tables.lag(
    name,
    durationText(span / 1_000),
    durationText(most),
    durationText(last.lagSeconds),
  );
  return (
    <svg
      className="lag-plot"
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{summary}</title>
      <path className="lag-line" d={`M${line.join('L')}`} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
