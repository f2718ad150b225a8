import { invalidRequest } from '../../../common/error/app-error';
import type { DatagridSchema } from '../../../datagrids/schema/datagrid-schema';

/** Rejects columns that rows cannot be matched by. @throws AppError `invalid_request` */
export function requireMatchable(schema: DatagridSchema, matchOn: readonly string[]): void {
  const problems = matchOn.flatMap((key) => {
    const column = schema.columns.get(key);
    if (column?.unique === true) return [];
    const shown = JSON.stringify(key.slice(0, 63));
    return [
      column
        ? { field: 'matchOn', code: 'not_unique', message: `column ${shown} is not unique` }
        : {
            field: 'matchOn',
            code: 'unknown_column',
            message: `unknown column ${shown}`,
          },
    ];
  });
  if (problems.length > 0) throw invalidRequest(problems);
}
