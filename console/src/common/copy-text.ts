/**
 * Copies a text to the clipboard. Browsers allow the Clipboard API only for HTTPS and localhost;
 * otherwise uses `execCommand`.
 * @returns true if the text was copied.
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
  // An open dialog keeps the focus, so the field must be inside it.
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
