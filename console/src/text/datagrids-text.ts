import { EN_DATAGRIDS } from './en/datagrids';

/**
 * The texts of columns, exports and the API panel in the language of the console. They load with
 * the pages that show them. A translation is another object of the same type, chosen here.
 */
export const datagridsText: typeof EN_DATAGRIDS = EN_DATAGRIDS;
