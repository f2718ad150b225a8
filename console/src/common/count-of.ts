export { countOf } from '../text/en/words';
