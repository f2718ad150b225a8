const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');
const { transform } = require('../../../jest.config.js');

const [[, options]] = Object.values(transform);

/** Lets processes that tests fork run the TypeScript of the service. */
Module._extensions['.ts'] = (module, path) => {
  const { code } = transformSync(readFileSync(path, 'utf8'), { ...options, filename: path });
  module._compile(code, path);
};
