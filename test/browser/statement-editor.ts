import type { Locator, Page } from 'playwright-core';

/** The editor of the SQL page. */
export const statementEditor = (page: Page): Locator =>
  page.getByRole('textbox', { name: 'Statement' });

/**
 * Replaces the text of the editor as a person does. `fill` selects the text without the editor, which loses the
 * selection if it draws the text anew at that moment.
 */
export async function writeStatement(page: Page, sql: string): Promise<void> {
  await statementEditor(page).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(sql);
}
