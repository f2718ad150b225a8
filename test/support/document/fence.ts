/** A fenced block of a Markdown document. */
export interface Fence {
  /** Text after the opening fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

const ANY_FENCE = /^\s*(?:`{3,}|~{3,})/;
/** A fence may be indented, as part of a list. */
const OPENING = /^( *)```(\w*)$/;

/** Returns all fenced blocks in order. @throws Error for a fence in an unsupported form. */
export function fencesOf(markdown: string): Fence[] {
  const lines = markdown.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!ANY_FENCE.test(lines[at] ?? '')) continue;
    const [, indent = '', language] = OPENING.exec(lines[at] ?? '') ?? [];
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (language === undefined || end < 0) {
      throw new Error(`Line ${String(at + 1)}: a fence in an unsupported form.`);
    }
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    fences.push({ language, text: text.join('\n'), line: at + 1 });
    at = end;
  }
  return fences;
}
