import type { Page } from 'playwright-core';

/** Runs in the page: whether all of an element is on the screen, and nothing lies over its corners. */
const IS_WHOLE_SEEN = `((element) => {
  if (!element) return false;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isUncut = element.scrollWidth <= element.clientWidth + 1;
  const isOnTop = (x, y) => element.contains(document.elementFromPoint(x, y));
  return isUncut && [left + 2, right - 2].every((x) =>
    [top + 2, bottom - 2].every((y) => isOnTop(x, y)));
})`;

/** Returns whether all of an element is on the screen, and nothing lies over it. */
export async function isWholeSeen(page: Page, selector: string): Promise<boolean> {
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  return page.evaluate<boolean>(`${IS_WHOLE_SEEN}(${element})`);
}
