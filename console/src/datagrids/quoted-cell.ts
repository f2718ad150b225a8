/** Returns a cell of CSV or TSV in quotes (RFC 4180). */
export const quotedCell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
