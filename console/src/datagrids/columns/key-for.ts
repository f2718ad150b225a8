/** Returns a key for a title: `depthM` for `Depth (m)`, `orderId` for `Order ID`. */
export function keyFor(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/^[^A-Za-z]+/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) =>
      /^[A-Z\d]{2,}$/.test(word) ? word.charAt(0) + word.slice(1).toLowerCase() : word,
    );
  const key = words
    .map((word, at) =>
      at === 0
        ? word.charAt(0).toLowerCase() + word.slice(1)
        : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('');
  return key.slice(0, 63);
}
