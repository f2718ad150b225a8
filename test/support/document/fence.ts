/** A fenced block of a Markdown document. */
export interface Fence {
  /** Text after the opening fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

const ANY_FENCE = /^\s*(?:`{3,}|~{3,})/;
const OPENING = /^```(\w*)$/;

/** Returns all fenced blocks in order. @throws Error for a fence in an unsupported form. */
export function fencesOf(markdown: string): Fence[] {
  const lines = markdown.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!ANY_FENCE.test(lines[at] ?? '')) continue;
    const language = OPENING.exec(lines[at] ?? '')?.[1];
    const end = lines.indexOf('```', at + 1);
    if (language === undefined || end < 0) throw new Error(`Line ${at + 1}: no fence of ours.`);
    fences.push({ language, text: lines.slice(at + 1, end).join('\n'), line: at + 1 });
    at = end;
  }
  return fences;
}
