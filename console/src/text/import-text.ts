import { EN_IMPORT } from './en/import';

/**
 * The texts of imports in the language of the console. They load with the dialog and the worker of
 * imports. A translation is another object of the same type, chosen here.
 */
export const importText: typeof EN_IMPORT = EN_IMPORT;
