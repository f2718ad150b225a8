import type { TopLevelSpec } from 'vega-lite';
import { EQUAL } from './queries';
import { smallestOf, type PageFigure } from './page-figure';

type Panel = Extract<TopLevelSpec, { hconcat: unknown }>['hconcat'][number];

const KINDS = ['first', 'middle', 'last', EQUAL];
const SIZE = { width: 330, height: 170 };

/** Plots the p50 of pages by number of rows, as SVG. */
export async function plotPages(figures: readonly PageFigure[], title: string): Promise<string> {
  // Both modules have a top-level await, so `require` cannot load them.
  const [{ compile }, { parse, View }] = await Promise.all([import('vega-lite'), import('vega')]);
  const { spec } = compile(chart(figures, title));
  const view = new View(parse(spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function chart(figures: readonly PageFigure[], title: string): TopLevelSpec {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, anchor: 'start', fontSize: 14, offset: 14 },
    // Without a background, the plot is unreadable in GitHub's dark mode.
    background: 'white',
    padding: 16,
    config: { font: 'Helvetica, Arial, sans-serif', view: { stroke: null } },
    data: { values: figures.filter(({ kind }) => KINDS.includes(kind)).flatMap(points) },
    hconcat: [20, 200].map((limit) => panel(limit, figures)),
  };
}

function points({ kind, limit, rows, tenthDeleted, service, bare }: PageFigure): object[] {
  const point = { kind, limit, rows, state: tenthDeleted ? 'a tenth deleted' : 'nothing deleted' };
  return [
    { ...point, server: 'service', p50Ms: service.p50Ms },
    { ...point, server: 'bare server', p50Ms: bare.p50Ms },
  ];
}

/** Returns the plot of one page size. Its two states are stacked, so that they share a scale. */
function panel(limit: number, figures: readonly PageFigure[]): Panel {
  const sizes = [...new Set(figures.map(({ rows }) => rows))];
  return {
    title: `page of ${String(limit)}`,
    transform: [{ filter: `datum.limit === ${String(limit)}` }],
    facet: {
      row: { field: 'state', title: null, sort: 'descending', header: { labelFontSize: 12 } },
    },
    spec: {
      ...SIZE,
      encoding: {
        x: {
          field: 'rows',
          type: 'quantitative',
          scale: { type: 'log', domain: [smallestOf(figures), Math.max(...sizes)] },
          axis: { title: 'rows', values: sizes, format: ',', labelFlush: false, grid: false },
        },
        y: { field: 'p50Ms', type: 'quantitative', scale: { zero: true }, title: 'p50, ms' },
        color: {
          field: 'kind',
          title: 'page',
          scale: { domain: KINDS, range: ['#4269d0', '#efb118', '#ff725c', '#3ca951'] },
          legend: { symbolType: 'circle' },
        },
      },
      layer: [
        {
          mark: { type: 'line', strokeWidth: 2 },
          encoding: {
            strokeDash: {
              field: 'server',
              title: 'served by',
              scale: { domain: ['service', 'bare server'], range: [[], [5, 4]] },
              legend: { symbolType: 'stroke', symbolSize: 700, symbolStrokeColor: '#333' },
            },
          },
        },
        { mark: { type: 'point', filled: true, size: 40, opacity: 1 } },
      ],
    },
  };
}
