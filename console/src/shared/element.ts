/** Creates an element. Texts become text nodes and are never read as markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  Object.assign(created, properties);
  created.append(...children);
  return created;
}
