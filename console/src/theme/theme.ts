import {
  createTheme,
  Drawer,
  Menu,
  Modal,
  Notification,
  type CSSVariablesResolver,
} from '@mantine/core';

const DIALOG = {
  closeButtonProps: { 'aria-label': 'Close' },
  // A page has one banner. The header of a dialog is not one.
  attributes: { header: { role: 'presentation' } },
};

const DIALOG_STYLES = { title: { fontSize: '1.1rem', fontWeight: 600 } };

/** Shades with a contrast of at least 4.5 to 1, under white text and on both backgrounds. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    Drawer: Drawer.extend({ defaultProps: DIALOG, styles: DIALOG_STYLES }),
    // The initially focused element is not a menu item, which confuses screen readers.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
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
