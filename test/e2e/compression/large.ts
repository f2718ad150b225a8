import { dataOf, newDatagrid } from '../../support/fixture';
import type { Member } from '../../support/test-app';

/** Words that compress like real text, some with multi-byte characters. */
const WORDS = ['Zürich', 'Genève', 'open', 'closed', 'sent on Monday', 'не знаю', '"quoted"'];

export const longText = (characters: number, seed = 0): string => {
  let text = '';
  for (let n = seed; text.length < characters; n += 7) {
    text += `${WORDS[n % WORDS.length] ?? ''} ${String(n)}. `;
  }
  return text.slice(0, characters);
};

/** Creates a datagrid with one text column and 60 rows, about 40 kB as one page. Returns its path. */
export async function largeDatagrid({ api }: Member): Promise<string> {
  const datagrid = await newDatagrid(api, [{ key: 't', type: 'text' }]);
  const rows = Array.from({ length: 60 }, (_, n) => ({ values: { t: longText(500, n) } }));
  dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
  return datagrid;
}

/** Creates a row of about 30 kB in a new datagrid. Returns its path. */
export async function largeRow({ api }: Member): Promise<string> {
  const datagrid = await newDatagrid(api, [{ key: 't', type: 'text' }]);
  dataOf(await api.post(`${datagrid}/rows`, { values: { t: longText(20_000) } }), 201);
  return `${datagrid}/rows/1`;
}

/** Creates a datagrid with 150 columns, about 20 kB. Returns its path. */
export async function wideDatagrid({ api }: Member): Promise<string> {
  const columns = Array.from({ length: 150 }, (_, n) => ({
    key: `c${String(n)}`,
    title: longText(60, n),
    type: 'text',
  }));
  return newDatagrid(api, columns);
}
