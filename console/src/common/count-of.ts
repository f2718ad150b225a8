export { countOf } from '../text/en/count-of';
