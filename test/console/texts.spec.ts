import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../console/src');

/** Attributes and properties whose values are displayed or read aloud. */
const DISPLAYED =
  /^(aria-)?(label|title|placeholder|description|heading|hint|message|help)$|[a-z](Label|Title|Hint|Message)$/;

/** Attributes that are never displayed. */
const HIDDEN: readonly string[] = ['className', 'd', 'path', 'style'];

/** Files that print programs, which are the same in every language. */
const PROGRAMS = /^datagrids\/api-panel\/(curl|mcp|python|row-types|typescript)\.ts$/;

/** Names and symbols, which are the same in every language. */
const NAMES: readonly string[] = [
  ...['Android', 'Chrome', 'Edge', 'Firefox', 'Linux', 'Opera', 'Safari', 'Windows'],
  ...['UTF-8', 'UTF-16 BE', 'UTF-16 LE', 'Windows-1252'],
  'Aa',
];

/** Code, values in programs, fonts, and messages to developers. Those with a space at the end are beginnings. */
const CODE: readonly string[] = [
  'curl -H ',
  'first-steps ',
  'Some {}',
  'input, textarea, ',
  'noopener ',
  'ui-monospace, ',
  'ui-sans-serif, ',
  '<table ',
  '<td ',
  'Not everything can be sent.',
  'Rows {} to {} are no pages of {}.',
  'This component must be inside a grid.',
  'This part needs a session.',
];

/** Methods whose arguments are code, such as names of keys and headers. */
const METHODS = /^(get|has|includes|startsWith|querySelector|closest)$/;

const isNoText = (text: string): boolean =>
  NAMES.includes(text) ||
  CODE.some((one) => (one.endsWith(' ') ? text.startsWith(one) : text === one));

/** Words with a space between them, the end of a sentence, or a capitalized word. */
const LOOKS_LIKE_TEXT = /\p{L}[,.:;]? [\p{L}{]|\} \p{L}|\p{Ll}[.!?…]$|^\p{Lu}\p{Ll}+$/u;

const HAS_LETTER = /\p{L}/u;

/** Returns the texts of a file that a user reads, with their lines. */
function inlineTexts(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const check = (node: ts.Node, text: string, form: RegExp): void => {
    if (!form.test(text) || isNoText(text)) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path}:${line + 1}: ${text.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node, isDisplayed: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isCode(node)) return;
    if (ts.isJsxAttribute(node) && HIDDEN.includes(node.name.getText())) return;
    if (ts.isJsxText(node)) check(node, node.text, HAS_LETTER);
    const literal = literalOf(node);
    if (literal !== undefined) check(node, literal, isDisplayed ? HAS_LETTER : LOOKS_LIKE_TEXT);
    ts.forEachChild(node, (child) => {
      visit(child, displays(node, child) ?? (isDisplayed && passesOn(node, child)));
    });
  };
  visit(file, false);
  return found;
}

/** Returns whether a literal is compared with something, or an argument of `METHODS`. */
function isCode(node: ts.Node): boolean {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return /^[!=]==$/.test(parent.operatorToken.getText());
  if (!ts.isCallExpression(parent)) return ts.isCaseClause(parent);
  const { expression } = parent;
  return ts.isPropertyAccessExpression(expression) && METHODS.test(expression.name.text);
}

/** Returns the text of a literal, with `{}` in place of its expressions. */
function literalOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join('{}');
}

/** Returns whether a child is content or a value that is displayed; undefined if neither. */
function displays(parent: ts.Node, child: ts.Node): boolean | undefined {
  if (ts.isJsxElement(parent) || ts.isJsxFragment(parent)) return ts.isJsxExpression(child);
  const isNamed = ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent);
  if (!isNamed || child !== parent.initializer) return undefined;
  return DISPLAYED.test(parent.name.getText().replaceAll("'", ''));
}

/** Returns whether a child of a displayed expression may be its value. */
function passesOn(parent: ts.Node, child: ts.Node): boolean {
  if (ts.isConditionalExpression(parent)) return child !== parent.condition;
  if (ts.isBinaryExpression(parent)) return child === parent.right;
  return ts.isJsxExpression(parent) || ts.isParenthesizedExpression(parent);
}

const files = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('.spec.') && !path.startsWith('text/'))
  .filter((path) => !PROGRAMS.test(path))
  .map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));

describe('the search for texts in components', () => {
  it.each([
    ['<p>All rows</p>', 'All rows'],
    ['<p>{many} rows</p>', 'rows'],
    ['<b title="rows" />', 'rows'],
    ["<b aria-label={isOne ? 'row' : undefined} />", 'row'],
    ['<b label={`row ${id}`} />', 'row {}'],
    ["<b>{isOn ? 'Active' : state}</b>", 'Active'],
    ["<b>{isOld && 'deleted'}</b>", 'deleted'],
    ["const columns = [{ title: 'rows' }];", 'rows'],
    ["throw failure('choose a column');", 'choose a column'],
    ['const rest = `${seconds} s`;', '{} s'],
  ])('finds one in %s', (source, text) => {
    expect(inlineTexts('a.tsx', source)).toEqual([`a.tsx:1: ${text}`]);
  });

  it.each([
    "import { rows } from 'All rows';",
    "type Name = 'All rows';",
    '<b className="all rows" title={text.rows} />',
    "<b title={kind === 'row' ? text.row : text.column} />",
    "request('GET', `/rows/${id}`, { code: 'not_found', status });",
    '<p>{count} / {total} · 5 %</p>',
    "const isLeft = key === 'Escape' || headers.get('Location') === null;",
  ])('finds none in %s', (source) => {
    expect(inlineTexts('a.tsx', source)).toEqual([]);
  });
});

describe('the components of the console', () => {
  it('have no texts, which are in the folder text', () => {
    expect(files.length).toBeGreaterThan(250);
    expect(files.flatMap(({ path, source }) => inlineTexts(path, source))).toEqual([]);
  });

  it('form no plurals, which depend on the language', () => {
    const wrong = files.filter(({ source }) =>
      ts
        .preProcessFile(source, true, true)
        .importedFiles.some(({ fileName }) => fileName.endsWith('/count-of')),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});
