import { isApiError } from '../../api/api-error';
import { dataRequest } from '../../api/data';
import type { Column } from '../datagrid';
import { datagridPath } from '../datagrid-calls';

/** Attempts to add a choice to a column that others change all the time. */
const MAX_ATTEMPTS = 5;

/**
 * Adds a choice at the end of a column's choices, unless the column has it. Each attempt changes the
 * version that it has read, so that choices of others stay.
 */
export async function addChoice(datagridId: string, key: string, choice: string): Promise<void> {
  const path = `${datagridPath(datagridId)}/columns/${key}`;
  for (let attempt = 1; ; attempt += 1) {
    const { data, etag } = await dataRequest<Column>('GET', path);
    const choices = data.options.choices ?? [];
    if (choices.includes(choice)) return;
    const body = { options: { ...data.options, choices: [...choices, choice] } };
    try {
      await dataRequest('PATCH', path, { body, ifMatch: etag });
      return;
    } catch (error) {
      if (!isApiError(error, 'precondition_failed') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
