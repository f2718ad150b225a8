/**
 * Scrolls to the field with the focus when the keyboard of a touch screen opens over it, or when the screen
 * turns. A page that is magnified by two fingers stays where it is.
 * @returns a function that stops it.
 */
export function keepFieldInView(): () => void {
  const { visualViewport } = window;
  let scale = visualViewport?.scale;
  const onResize = (): void => {
    const isMagnified = visualViewport?.scale !== scale;
    scale = visualViewport?.scale;
    // The page takes its new layout first.
    if (!isMagnified) requestAnimationFrame(showField);
  };
  visualViewport?.addEventListener('resize', onResize);
  return () => {
    visualViewport?.removeEventListener('resize', onResize);
  };
}

function showField(): void {
  const { activeElement } = document;
  if (!activeElement?.matches('input, textarea, select')) return;
  const { left, top, width, height } = activeElement.getBoundingClientRect();
  const shown = document.elementFromPoint(left + width / 2, top + height / 2);
  if (shown !== activeElement) activeElement.scrollIntoView({ block: 'center', inline: 'nearest' });
}
