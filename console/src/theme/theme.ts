import {
  createTheme,
  Drawer,
  Menu,
  Modal,
  Notification,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { text } from '../text/text';

const DIALOG = {
  overlayProps: { backgroundOpacity: 0.4 },
  closeButtonProps: { 'aria-label': text.actions.close },
  // A page has one banner. The header of a dialog is not one.
  attributes: { header: { role: 'presentation' } },
};

const DIALOG_STYLES = { title: { fontSize: '1.1rem', fontWeight: 600 } };

/** Fonts of the operating system: the console loads none. */
const SANS =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

const HEADINGS = {
  h1: { fontSize: '1.5rem', lineHeight: '2rem' },
  h2: { fontSize: '1.375rem', lineHeight: '1.875rem' },
  h3: { fontSize: '1.125rem', lineHeight: '1.625rem' },
  h4: { fontSize: '1rem', lineHeight: '1.5rem' },
};

/** The accent. */
const IRIS: MantineColorsTuple = [
  '#eef0ff',
  '#dfe2ff',
  '#c3c8ff',
  '#a1a9ff',
  '#8089fb',
  '#656df3',
  '#5156e0',
  '#3f42d3',
  '#3538cd',
  '#2a2ca3',
];

/** Text and surfaces of the dark mode: cool grays, lighter with height. */
const DARK: MantineColorsTuple = [
  '#d6d8df',
  '#b3b6c1',
  '#8f93a1',
  '#666a78',
  '#3d404b',
  '#33363f',
  '#262932',
  '#17181d',
  '#111216',
  '#0b0c0f',
];

/** Text of the light mode. */
const INK = '#16171d';

/** Shades with a contrast of at least 4.5 to 1, under white text and on both backgrounds. */
export const theme = createTheme({
  primaryColor: 'iris',
  black: INK,
  primaryShade: { light: 7, dark: 6 },
  colors: { iris: IRIS, dark: DARK },
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  headings: { fontFamily: SANS, fontWeight: '650', sizes: HEADINGS },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    Drawer: Drawer.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    // The initially focused element is not a menu item, which confuses screen readers.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': text.actions.close } },
    }),
  },
});

/** The library's default grays and reds for text do not meet WCAG AA. */
export const cssVariablesResolver: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': '#646b73',
    '--mantine-color-error': colors.red[9],
    // On the light backgrounds of badges and alerts.
    '--mantine-color-red-light-color': '#a51d1d',
    '--mantine-color-orange-light-color': '#8a3300',
    '--mantine-color-yellow-light-color': '#7a4100',
    '--mantine-color-green-light-color': '#1c6130',
    '--mantine-color-teal-light-color': '#055c43',
  },
  dark: {
    // Text of default buttons and fields, which is not brighter than titles.
    '--mantine-color-default-color': colors.dark[0],
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': '#a3a3a3',
    '--mantine-color-error': colors.red[4],
    '--mantine-color-red-light': 'rgb(255 107 107 / 16%)',
    '--mantine-color-red-light-color': colors.red[3],
    '--mantine-color-yellow-light': 'rgb(255 212 59 / 13%)',
    '--mantine-color-yellow-light-color': colors.yellow[3],
    '--mantine-color-green-light': 'rgb(81 207 102 / 16%)',
    '--mantine-color-green-light-color': colors.green[4],
  },
});
