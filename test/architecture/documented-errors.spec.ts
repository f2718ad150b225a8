import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { SOURCE_FILES } from './source-files';

const DIRECTORY = join(__dirname, '../../docs/connections');
const PAGES = readdirSync(DIRECTORY).filter((name) => name.endsWith('.md'));

/** Files with texts that `lastError` can have. */
const SOURCES = SOURCE_FILES.filter(({ path }) =>
  /^(connections|destinations|platform\/outbound)\//.test(path),
);

/** Sentences of all texts of the sources, with "…" for each inserted value. */
const SENTENCES: ReadonlySet<string> = new Set(
  SOURCES.flatMap(({ path, text }) => {
    const sentences: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) sentences.push(...sentencesOf(node.text));
      if (ts.isTemplateExpression(node)) {
        const parts = node.templateSpans.map(({ literal }) => literal.text);
        sentences.push(...sentencesOf([node.head.text, ...parts].join('…')));
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
    return sentences;
  }),
);

function sentencesOf(text: string): string[] {
  // A text of few words between inserted values would match anything.
  return text.split(/(?<=\.…?) (?=[A-Z"])/).filter((sentence) => /^["\w].*\w.*\./.test(sentence));
}

/** Returns the sentences of the first column of the table of errors. */
function documentedErrors(page: string): string[] {
  const [, section = ''] = readFileSync(join(DIRECTORY, page), 'utf8').split('\n## Errors\n');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (error |---)/.test(line))
    .flatMap((line) => sentencesOf(line.split(' | ')[0]?.slice(2).trim() ?? ''));
}

/** Whether a sentence of the sources is the documented one, or only adds something at its end. */
function isShown(documented: string): boolean {
  const start = documented.replace(/\.$/, '');
  return [...SENTENCES].some((sentence) => {
    const parts = sentence.split('…').map((part) => part.replaceAll(/[^\w ]/g, String.raw`\$&`));
    return sentence.startsWith(start) || new RegExp(`^${parts.join('.*')}$`).test(documented);
  });
}

const ERRORS = PAGES.flatMap((page) =>
  documentedErrors(page).map((error): [string, string] => [page, error]),
);

it('finds the documented errors of each type of destination', () => {
  expect(new Set(ERRORS.map(([page]) => page))).toEqual(new Set(PAGES));
});

it.each(ERRORS)('docs/connections/%s quotes an error that the service has: %s', (_, error) => {
  expect(isShown(error)).toBe(true);
});
