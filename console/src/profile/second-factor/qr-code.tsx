import { useMemo, type ReactNode } from 'react';
import { encode } from 'uqr';

/** Edge of a module in the units of the picture. */
const MODULE = 4;

/** A QR code. It is dark on white in both color schemes, because some cameras read nothing else. */
export function QrCode({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): ReactNode {
  const { path, size } = useMemo(() => drawn(text), [text]);
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Returns the modules as one path, and the edge of the picture. */
function drawn(text: string): { readonly path: string; readonly size: number } {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) =>
      isDark ? [`M${x * MODULE} ${y * MODULE}h${MODULE}v${MODULE}h-${MODULE}z`] : [],
    ),
  );
  return { path: squares.join(''), size: size * MODULE };
}
