export { quoted } from '../text/en/words';
