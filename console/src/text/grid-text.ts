import { EN_GRID_EDITS } from './en/grid-edits';
import { EN_GRID_PAGE } from './en/grid-page';
import { EN_GRID } from './en/grid';

const EN = { ...EN_GRID, ...EN_GRID_PAGE, ...EN_GRID_EDITS };

/**
 * The texts of the page of rows in the language of the console. They load with that page. A
 * translation is another object of the same type, chosen here.
 */
export const gridText: typeof EN = EN;
