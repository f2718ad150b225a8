/**
 * Puts a text on the clipboard.
 *
 * @returns Whether it is there. Browsers keep the modern way for HTTPS and localhost; elsewhere
 *   the old one is tried.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  // In the dialog that is open, which keeps the focus to itself.
  const place = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  place.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way over plain HTTP
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
