import { EN, type Texts } from './en/console';

/** The texts in the language of the console. A translation is another `Texts`, chosen here. */
export const text: Texts = EN;
