import { z } from 'zod';

/** Text of a setting in `.env.example` and `docs/operations.md`, as Markdown. */
interface SettingText {
  readonly description: string;
  /** Required for a setting without a default value. */
  readonly unset?: UnsetText | undefined;
}

interface UnsetText {
  /** Text in place of a default value. */
  readonly means: string;
  /** A value for `.env.example`. */
  readonly example: string;
}

export const settingTexts = z.registry<SettingText>();

/** Declares a setting. Without a default, `unset` says what applies and gives an example. */
export function setting<T extends z.ZodType>(type: T, description: string, unset?: UnsetText): T {
  settingTexts.add(type, { description, unset });
  return type;
}
