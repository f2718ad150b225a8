/** A line of the list below the field of choices. */
export type ChoiceOption =
  | { readonly kind: 'choice'; readonly choice: string; readonly isChosen: boolean }
  /** Adds the typed text to the choices of the column. */
  | { readonly kind: 'add'; readonly choice: string };

/** Maximum length of a choice in the API. */
const MAX_LENGTH = 200;

/**
 * Returns the choices that contain the typed text, those that start with it first, and at the end
 * the offer to add it. A value that is no longer a choice is listed too, so that it can be removed.
 */
export function choiceOptions(
  choices: readonly string[],
  chosen: readonly string[],
  typed: string,
  mayAdd: boolean,
): readonly ChoiceOption[] {
  const all = [...new Set([...choices, ...chosen])];
  const text = typed.trim();
  const wanted = text.toLocaleLowerCase();
  const places = all.map((choice) => choice.toLocaleLowerCase().indexOf(wanted));
  const isFound = (at: number, isFirst: boolean): boolean =>
    isFirst ? places[at] === 0 : (places[at] ?? -1) > 0;
  const found = [true, false].flatMap((isFirst) => all.filter((_, at) => isFound(at, isFirst)));
  const isNew = mayAdd && text !== '' && text.length <= MAX_LENGTH && !all.includes(text);
  return [
    ...found.map(
      (choice) => ({ kind: 'choice', choice, isChosen: chosen.includes(choice) }) as const,
    ),
    ...(isNew ? [{ kind: 'add', choice: text } as const] : []),
  ];
}

/** Returns the chosen values after a choice was added or removed. */
export function toggled(
  chosen: readonly string[],
  choice: string,
  isMultiple: boolean,
): readonly string[] {
  if (!isMultiple) return [choice];
  return chosen.includes(choice) ? chosen.filter((one) => one !== choice) : [...chosen, choice];
}
