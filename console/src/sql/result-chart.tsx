import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { sqlText } from '../text/sql-text';
import { MAX_POINTS, type ChartData } from './chart-data';

const HEIGHT_PX = 380;
/** Maximum number of points that have dots on a line. */
const MAX_DOTS = 60;
/** One for each of MAX_SERIES. */
const COLORS = ['iris.5', 'teal.6', 'orange.6', 'pink.6', 'cyan.6', 'lime.6'];

/** A chart of a result. */
export default function ResultChart({ chart }: { readonly chart: ChartData }): ReactNode {
  const [kind, setKind] = useState<'bar' | 'line'>(chart.isOverTime ? 'line' : 'bar');
  const { labels, points, isCut } = chart;
  const names = chart.series.map(({ label }) => label).join(', ');
  const series = chart.series.map(({ key, label }, n) => ({
    name: key,
    label,
    color: COLORS[n] ?? 'gray.6',
  }));
  const shared = { h: HEIGHT_PX, data: [...points], dataKey: 'label', series, withLegend: true };
  return (
    <Stack gap="xs">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={sqlText.kind}
          value={kind}
          data={[
            { value: 'bar', label: sqlText.kinds.bar },
            { value: 'line', label: sqlText.kinds.line },
          ]}
          onChange={(value) => {
            setKind(value === 'line' ? 'line' : 'bar');
          }}
        />
        {isCut && <Text size="sm">{sqlText.chartCut(MAX_POINTS.toLocaleString())}</Text>}
      </Group>
      <figure
        className="sql-chart"
        aria-label={sqlText.chartOf(names, labels ?? sqlText.rowNumber)}
      >
        {kind === 'bar' ? (
          <BarChart {...shared} />
        ) : (
          <LineChart {...shared} curveType="linear" withDots={points.length <= MAX_DOTS} />
        )}
      </figure>
    </Stack>
  );
}
