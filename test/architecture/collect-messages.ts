import ts from 'typescript';
import { DETAIL_CODES, ERROR_STATUS } from '../../src/common/error/app-error';
import { SOURCE_FILES } from './source-files';

/** Parameters and properties that hold a public message, or a part of one. */
const MESSAGE_NAMES = [
  'message',
  'full',
  'accountFull',
  'tooMany',
  'stuck',
  'defaultMessage',
  'one',
  'many',
];
const CODES: ReadonlySet<string> = new Set([...DETAIL_CODES, ...Object.keys(ERROR_STATUS)]);
/** Files whose messages operators read, or which repeat messages of the service. */
const FOREIGN =
  /^(serve\.ts|(cli|client|demo|embedded-postgres|verification|platform\/(config|openapi|tls))\/)/;

interface Source {
  readonly file: ts.SourceFile;
  /** Positions of the message parameters, by the name of the function. */
  readonly takers: ReadonlyMap<string, readonly number[]>;
  readonly constants: ReadonlyMap<string, ts.Expression>;
  /** Expressions that the functions of a file return, by function name. */
  readonly results: ReadonlyMap<string, readonly ts.Expression[]>;
}

/**
 * Returns every public message in the sources, sorted, with "…" for each inserted value. A message is
 * public if it is passed as a parameter or property of `MESSAGE_NAMES`, or follows a code in an array.
 */
export function collectMessages(): string[] {
  const sources = SOURCE_FILES.filter(({ path }) => !FOREIGN.test(path)).map(sourceOf);
  const takers = new Map(sources.flatMap((source) => [...source.takers]));
  const constants = new Map(sources.flatMap((source) => [...source.constants]));
  const messages = new Set<string>();
  for (const source of sources) {
    const scope: Scope = {
      takers: new Map([...takers, ...source.takers]),
      constants: new Map([...constants, ...source.constants]),
      results: source.results,
    };
    visit(source.file, (node) => {
      for (const found of messagesAt(node, scope)) {
        for (const text of textsOf(found, scope)) if (isWording(text)) messages.add(text);
      }
    });
  }
  return [...messages].sort();
}

/** A message: neither a code nor the name of a field before another message. */
const isWording = (text: string): boolean =>
  /[a-z]{2}/i.test(text) && !CODES.has(text) && !/^[\w-]+: …$/.test(text);

type Scope = Pick<Source, 'takers' | 'constants' | 'results'>;

function sourceOf({ path, text }: { path: string; text: string }): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const takers = new Map<string, number[]>();
  const constants = new Map<string, ts.Expression>();
  const results = new Map<string, ts.Expression[]>();
  visit(file, (node) => {
    if (ts.isFunctionLike(node)) {
      const name = nameOf(node);
      const positions = node.parameters.flatMap((parameter, index) =>
        MESSAGE_NAMES.includes(parameter.name.getText()) ? [index] : [],
      );
      if (name !== undefined && positions.length > 0) takers.set(name, positions);
    }
    if (ts.isFunctionDeclaration(node) && node.name && node.type?.getText() === 'string') {
      results.set(node.name.text, returnedBy(node));
    }
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name)) {
      const isOfFile = node.parent.parent.parent === file;
      if (isOfFile) constants.set(node.name.text, node.initializer);
    }
  });
  return { file, takers, constants, results };
}

function returnedBy(node: ts.FunctionDeclaration): ts.Expression[] {
  const found: ts.Expression[] = [];
  visit(node, (each) => {
    if (ts.isReturnStatement(each) && each.expression) found.push(each.expression);
  });
  return found;
}

/**
 * Returns the name of a function, of the class of a constructor, or of the variable of an arrow
 * function.
 */
function nameOf(node: ts.SignatureDeclaration): string | undefined {
  const named = ts.isConstructorDeclaration(node) || ts.isArrowFunction(node) ? node.parent : node;
  const { name } = named as { name?: ts.Node };
  return name?.getText();
}

function messagesAt(node: ts.Node, { takers }: Scope): ts.Expression[] {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const called = ts.isPropertyAccessExpression(node.expression)
      ? node.expression.name
      : node.expression;
    const positions = takers.get(called.getText()) ?? [];
    return positions.flatMap((index) => node.arguments?.[index] ?? []);
  }
  if (ts.isPropertyAssignment(node) && MESSAGE_NAMES.includes(node.name.getText())) {
    return [node.initializer];
  }
  const isMessage = ts.isVariableDeclaration(node) && node.name.getText() === 'message';
  if (isMessage && node.initializer) return [node.initializer];
  if (ts.isArrayLiteralExpression(node)) {
    const [code, ...others] = node.elements;
    return code && ts.isStringLiteral(code) && CODES.has(code.text) ? others : [];
  }
  return [];
}

/**
 * Returns the texts to which an expression can evaluate; none if they depend on other functions.
 */
function textsOf(node: ts.Expression, scope: Scope): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ literal }) => literal.text);
    return [[node.head.text, ...parts].join('…').replaceAll(/…+/g, '…')];
  }
  if (ts.isConditionalExpression(node)) {
    return [...textsOf(node.whenTrue, scope), ...textsOf(node.whenFalse, scope)];
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [textsOf(node.left, scope), textsOf(node.right, scope)];
    const { kind } = node.operatorToken;
    if (kind === ts.SyntaxKind.QuestionQuestionToken) return [...left, ...right];
    if (kind !== ts.SyntaxKind.PlusToken) return [];
    return (left.length > 0 ? left : ['…']).flatMap((start) =>
      (right.length > 0 ? right : ['…']).map((end) => start + end),
    );
  }
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  ) {
    return textsOf(node.expression, scope);
  }
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return textsOf(node.body, scope);
  if (ts.isElementAccessExpression(node)) return textsOf(node.expression, scope);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((each) =>
      ts.isPropertyAssignment(each) ? textsOf(each.initializer, scope) : [],
    );
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const returned = scope.results.get(node.expression.text) ?? [];
    // Calls in a returned expression are not followed, because they may be recursive.
    return returned.flatMap((each) => textsOf(each, { ...scope, results: new Map() }));
  }
  const constant = ts.isIdentifier(node) ? scope.constants.get(node.text) : undefined;
  return constant && constant !== node ? textsOf(constant, scope) : [];
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => {
    visit(child, see);
  });
}
