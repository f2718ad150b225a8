import { dataOf, newDatagrid } from '../../support/fixture';
import type { Member } from '../../support/test-app';

/** Texts that compress as people's do, with letters of more than one byte. */
const WORDS = ['Zürich', 'Genève', 'open', 'closed', 'sent on Monday', 'не знаю', '"quoted"'];

export const longText = (characters: number, seed = 0): string => {
  let text = '';
  for (let n = seed; text.length < characters; n += 7) {
    text += `${WORDS[n % WORDS.length] ?? ''} ${String(n)}. `;
  }
  return text.slice(0, characters);
};

/** A datagrid with one column of text and 60 rows: a page of them all has some 40 kB. */
export async function largeDatagrid({ api }: Member): Promise<string> {
  const datagrid = await newDatagrid(api, [{ key: 't', type: 'text' }]);
  const rows = Array.from({ length: 60 }, (_, n) => ({ values: { t: longText(500, n) } }));
  dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
  return datagrid;
}

/** A row of its own of some 30 kB. */
export async function largeRow({ api }: Member): Promise<string> {
  const datagrid = await newDatagrid(api, [{ key: 't', type: 'text' }]);
  dataOf(await api.post(`${datagrid}/rows`, { values: { t: longText(20_000) } }), 201);
  return `${datagrid}/rows/1`;
}

/** A datagrid whose columns make it some 20 kB. */
export async function wideDatagrid({ api }: Member): Promise<string> {
  const columns = Array.from({ length: 150 }, (_, n) => ({
    key: `c${String(n)}`,
    title: longText(60, n),
    type: 'text',
  }));
  return newDatagrid(api, columns);
}
