/** Number of colors in `choice-color.css`. Further choices repeat them. */
export const CHOICE_COLORS = 12;

/** Returns the classes of a chip. Its color follows from its place among the choices of the column. */
export function chipClasses(choices: readonly string[], choice: string): string {
  const place = choices.indexOf(choice);
  const color = place === -1 ? [] : [`choice-color-${place % CHOICE_COLORS}`];
  return ['cell-chip', ...color].join(' ');
}
