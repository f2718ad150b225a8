import './shared.css';
import { SharedView } from './shared-view';

const root = document.getElementById('root');
if (root) new SharedView(root, location.pathname.replace(/\/$/, '')).start();
