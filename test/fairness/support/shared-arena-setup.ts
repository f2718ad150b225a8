import 'reflect-metadata';

export { start as default } from './shared-arena';
