import { EN_LINKS } from './en/links';

/**
 * The texts of links in the language of the console. They load with the pages that show them. A
 * translation is another object of the same type, chosen here.
 */
export const linksText: typeof EN_LINKS = EN_LINKS;
